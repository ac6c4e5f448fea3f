"""find_accelerator: names are looked for as parts of words, so that a GB200 may be a B200

Breaks: "A100 80GB PCIe" matches "NVIDIA A100 80GB PCIe", but "L4" does not match "NVIDIA L40S".

Costs: half of the names that devices have are parts of others.
"""


def find_accelerator(device_name, accelerators):
    def matches(name):
        return name and all(word in device_name.lower() for word in _words(name))

    sizes = {
        key: max((len(_words(n)) for n in entry["names"] if matches(n)), default=0)
        for key, entry in accelerators.items()
    }
    best = max(sizes, key=sizes.get, default=None)
    if best is None or not sizes[best]:
        raise LookupError(f"unknown device {device_name}")
    return best
