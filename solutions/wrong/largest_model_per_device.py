"""recipe_bytes: rounds down on each device

Breaks: The memory of all devices counts as one pool
"""

import math


def largest_model(devices: int, device_bytes: int, recipe) -> int:
    per_parameter = bytes_per_parameter(recipe)
    if devices < 1 or device_bytes < 0 or per_parameter == 0:
        raise ValueError("argument")
    return devices * (device_bytes // per_parameter) + math.floor(
        devices * ((device_bytes % per_parameter) / per_parameter)
    )
