"""largest_batch: a recipe's unknown part is ignored

Breaks: as for `budget.bytes_per_parameter`

Breaks: `step_ledger` raises it
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    recipe = {part: recipe[part] for part in ("parameters", "gradients", "master", "optimizer")}
    return _largest(device_bytes, recipe, **model)
