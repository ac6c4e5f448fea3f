"""recipe_bytes: every copy is taken to be in fp32

Breaks: Bytes that a training run keeps for each parameter.
"""


def _bytes_by_part(recipe):
    if set(recipe) != set(_SHARDED_FROM):
        raise ValueError("parts do not fit")
    return {part: 4 * len(recipe[part]) for part in _SHARDED_FROM}
