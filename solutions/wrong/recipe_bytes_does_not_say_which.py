"""recipe_bytes: the error does not say which part is missing or unknown

Breaks: the message names it
"""


def bytes_per_parameter(recipe):
    if set(recipe) != set(_SHARDED_FROM):
        raise ValueError("expected a recipe of exactly four parts")
    return sum(_bytes_by_part(recipe).values())
