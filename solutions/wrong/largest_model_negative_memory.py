"""largest_model: a negative memory holds no parameters, as an empty one does

Breaks: `device_bytes` is negative
"""

_right_model = largest_model


def largest_model(devices, device_bytes, recipe):
    return _right_model(devices, max(device_bytes, 0), recipe)
