"""recipe_bytes: a part that is not kept, an empty list, is refused like a missing one

Breaks: A part that is not kept is an empty list.
"""


def _bytes_by_part(recipe):
    if set(recipe) != set(_SHARDED_FROM) or not all(recipe.values()):
        raise ValueError("parts do not fit")
    return {part: sum(map(bytes_per_element, recipe[part])) for part in _SHARDED_FROM}
