"""recipe_bytes: a part that is missing from the recipe counts as 0

Breaks: a part is missing
"""


def _bytes_by_part(recipe):
    if set(recipe) - set(_SHARDED_FROM):
        raise ValueError("unknown part")
    return {part: sum(map(bytes_per_element, recipe.get(part, []))) for part in _SHARDED_FROM}
