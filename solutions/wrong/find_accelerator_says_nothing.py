"""find_accelerator: the error does not say which device is unknown

Breaks: the message names the device
"""

_right_find = find_accelerator


def find_accelerator(device_name, accelerators):
    try:
        return _right_find(device_name, accelerators)
    except LookupError:
        raise LookupError("unknown device") from None
