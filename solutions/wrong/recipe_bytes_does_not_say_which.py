"""recipe_bytes: the error does not say which part is missing or unknown

Breaks: the message names it
"""

_right_bytes = _bytes_by_part


def _bytes_by_part(recipe):
    if set(recipe) != set(_SHARDED_FROM):
        raise ValueError("expected a recipe of exactly four parts")
    return _right_bytes(recipe)
