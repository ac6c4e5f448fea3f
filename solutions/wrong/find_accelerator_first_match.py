"""find_accelerator: the first entry that matches, which depends on the order of the table

Breaks: whatever its position in the table
"""


def find_accelerator(device_name, accelerators):
    for key, entry in accelerators.items():
        if any(_words(name) and _words(name) <= _words(device_name) for name in entry["names"]):
            return key
    raise LookupError(f"unknown device {device_name}")
