"""recipe_bytes: a part of any name is counted, so a misspelt one is never noticed

Breaks: for exactly the parts "parameters", "gradients", "master" and "optimizer"

Breaks: unknown
"""


def bytes_per_parameter(recipe):
    if missing := set(_SHARDED_FROM) - set(recipe):
        raise ValueError(f"missing part: {missing}")
    return sum(sum(map(bytes_per_element, dtypes)) for dtypes in recipe.values())
