"""recipe_bytes: the number of parameters is rounded up, so the last one does not fit

Breaks: The largest number of parameters whose training state fits on all devices together.
"""


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0 or not bytes_per_parameter(recipe):
        raise ValueError("cannot be")
    return -(-devices * device_bytes // bytes_per_parameter(recipe))
