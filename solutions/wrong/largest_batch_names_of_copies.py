"""largest_batch: a copy that is no dtype counts as fp32

Breaks: `dtype` or a copy is not a `torch.dtype`.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    recipe = {
        p: [d if isinstance(d, torch.dtype) else torch.float32 for d in c]
        for p, c in recipe.items()
    }
    return _largest(device_bytes, recipe, **model)
