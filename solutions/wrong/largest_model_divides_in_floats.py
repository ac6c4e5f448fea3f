"""recipe_bytes: a division in floating point, which is inexact when huge

Breaks: All results are exact Python ints.
"""


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0 or not bytes_per_parameter(recipe):
        raise ValueError("cannot be")
    return int(devices * device_bytes / bytes_per_parameter(recipe))
