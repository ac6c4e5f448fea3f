"""recipe_bytes (core): every copy is taken to be in fp32

Breaks: Bytes that a training run keeps for each parameter.
"""


def _bytes_by_part(recipe):
    for part in {**dict.fromkeys(_SHARDED_FROM), **recipe}:
        if part not in recipe or part not in _SHARDED_FROM:
            raise ValueError(f"missing or unknown: {part}")
        for dtype in recipe[part]:
            bytes_per_element(dtype)  # refuses what has no bytes
    return {part: 4 * len(recipe[part]) for part in _SHARDED_FROM}
