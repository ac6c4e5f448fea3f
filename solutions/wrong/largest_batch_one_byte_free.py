"""largest_batch: a byte must be left

Breaks: It fits if no moment of `step_ledger` exceeds the device's memory.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    return _largest(device_bytes - 1, recipe, **model)
