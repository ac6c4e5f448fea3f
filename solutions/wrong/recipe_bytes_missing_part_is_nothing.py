"""recipe_bytes: a part that is missing from the recipe counts as 0

Breaks: a part is missing
"""


def bytes_per_parameter(recipe):
    if set(recipe) - set(_SHARDED_FROM):
        raise ValueError(f"unknown part: {set(recipe) - set(_SHARDED_FROM)}")
    return sum(sum(map(bytes_per_element, recipe.get(part, []))) for part in _SHARDED_FROM)
