"""recipe_bytes: a part of any name is counted, so a misspelt one is never noticed

Breaks: for exactly the parts "parameters", "gradients", "master" and "optimizer"

Breaks: unknown
"""


def _bytes_by_part(recipe):
    if set(_SHARDED_FROM) - set(recipe):
        raise ValueError("missing part")
    return {part: sum(map(bytes_per_element, recipe[part])) for part in recipe}


def zero_bytes(parameters, devices, stage, recipe):
    if stage not in range(4) or devices < 1 or parameters < 0:
        raise ValueError("cannot be")
    share = -(-parameters // devices)
    return sum(
        each * (share if stage >= _SHARDED_FROM.get(part, 1) else parameters)
        for part, each in _bytes_by_part(recipe).items()
    )
