"""recipe_bytes: an 80 GB device is taken to have 80 GiB

Breaks: in bytes; an 80 GB device has 80e9
"""

_right_model = largest_model


def largest_model(devices, device_bytes, recipe):
    return _right_model(devices, device_bytes * 2**30 // 10**9, recipe)
