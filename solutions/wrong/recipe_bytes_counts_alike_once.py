"""recipe_bytes: two copies of one dtype, such as two moments, are counted once

Breaks: Bytes that a training run keeps for each parameter, all copies of all parts together.

Breaks: the dtypes of every copy, as for `bytes_per_parameter`
"""


def _bytes_by_part(recipe):
    if set(recipe) != set(_SHARDED_FROM):
        raise ValueError("parts do not fit")
    return {part: sum(map(bytes_per_element, set(recipe[part]))) for part in _SHARDED_FROM}
