"""recipe_bytes: two copies of one dtype, such as two moments, are counted once"""


def _bytes_by_part(recipe):
    if set(recipe) != set(_SHARDED_FROM):
        raise ValueError("parts do not fit")
    return {part: sum(map(bytes_per_element, set(recipe[part]))) for part in _SHARDED_FROM}
