"""find_accelerator: a name must stand in the device's as it is written, blanks and capitals too

Breaks: An entry matches if all words of one of its `names` are among the device's words, in any
order
"""


def find_accelerator(device_name, accelerators):
    found = [
        (len(name.split()), key)
        for key, entry in accelerators.items()
        for name in entry["names"]
        if name and f" {name} " in f" {device_name} "
    ]
    if not found:
        raise LookupError(f"unknown device {device_name}")
    return max(found)[1]
