"""find_accelerator: the matching name with the most letters wins, not the one with the most words

Breaks: If several entries match, the one whose matching name has the most different words wins
"""


def find_accelerator(device_name, accelerators):
    found = [
        (len(name), key)
        for key, entry in accelerators.items()
        for name in entry["names"]
        if _words(name) and _words(name) <= _words(device_name)
    ]
    if not found:
        raise LookupError(f"unknown device {device_name}")
    return max(found)[1]
