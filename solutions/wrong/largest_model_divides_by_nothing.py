"""largest_model: a recipe that keeps nothing ends in a division by zero

Breaks: the recipe keeps nothing (then no model would be too large)
"""


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0:
        raise ValueError("cannot be")
    return devices * device_bytes // bytes_per_parameter(recipe)
