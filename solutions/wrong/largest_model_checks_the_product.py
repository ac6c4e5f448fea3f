"""largest_model: the memory of all devices together must not be negative, whatever their number

Breaks: `devices` is less than 1
"""


def largest_model(devices, device_bytes, recipe):
    if devices * device_bytes < 0 or not bytes_per_parameter(recipe):
        raise ValueError("cannot be")
    return devices * device_bytes // bytes_per_parameter(recipe)
