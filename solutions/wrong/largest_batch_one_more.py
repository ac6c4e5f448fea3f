"""largest_batch: the first batch that does not fit is returned

Breaks: The largest number of sequences; 0 if an empty batch fits and one sequence does not.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    return _largest(device_bytes, recipe, **model) + 1
