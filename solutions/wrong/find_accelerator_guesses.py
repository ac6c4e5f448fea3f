"""find_accelerator: an unknown device is taken for the first of the table

Breaks: The entry of a table of accelerators that matches a device's reported name.

Breaks: no entry matches
"""

_right_find = find_accelerator


def find_accelerator(device_name, accelerators):
    try:
        return _right_find(device_name, accelerators)
    except LookupError:
        return next(iter(accelerators), "unknown")
