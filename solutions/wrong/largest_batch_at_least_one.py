"""largest_batch: at least one sequence is returned

Breaks: 0 if an empty batch fits and one sequence does not
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    return max(1, _largest(device_bytes, recipe, **model))
