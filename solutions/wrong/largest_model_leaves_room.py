"""recipe_bytes: a tenth of the memory is left for activations and buffers

Breaks: Activations, buffers and fragmentation are not counted, so this is an upper bound.
"""

_right_model = largest_model


def largest_model(devices, device_bytes, recipe):
    return _right_model(
        devices, device_bytes if device_bytes < 0 else device_bytes * 9 // 10, recipe
    )
