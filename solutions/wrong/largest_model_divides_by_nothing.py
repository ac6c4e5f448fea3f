"""largest_model: a recipe that keeps nothing ends in a division by zero"""


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0:
        raise ValueError("cannot be")
    return devices * device_bytes // bytes_per_parameter(recipe)
