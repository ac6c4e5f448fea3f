"""largest_batch: the peak is taken to grow by the same for each sequence

Breaks: It fits if no moment of `step_ledger` exceeds the device's memory.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    _largest(device_bytes, recipe, **model)
    none, one = (peak_memory(model_modules(batch=b, **model), recipe)[1] for b in (0, 1))
    return (device_bytes - none) // max(1, one - none)
