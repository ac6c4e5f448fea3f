"""recipe_bytes: rounded down on each device, where the devices are one pool

Breaks: The memory of all devices counts as one pool: everything is sharded, nothing is kept twice,
and no byte is left over on a device.
"""


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0 or not bytes_per_parameter(recipe):
        raise ValueError("cannot be")
    return devices * (device_bytes // bytes_per_parameter(recipe))
