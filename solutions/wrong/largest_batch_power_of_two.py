"""largest_batch: the batch is a power of two

Breaks: The largest number of sequences
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    found = _largest(device_bytes, recipe, **model)
    return 1 << found.bit_length() - 1 if found else 0
