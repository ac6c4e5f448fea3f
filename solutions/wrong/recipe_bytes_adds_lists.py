"""recipe_bytes: parts are added as lists, so a tuple of copies fails

Breaks: all copies of all parts together
"""


def bytes_per_parameter(recipe):
    _bytes_by_part(recipe)
    return sum(bytes_per_element(dtype) for dtype in sum(recipe.values(), []))
