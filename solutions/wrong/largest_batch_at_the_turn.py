"""largest_batch: only the moment where the backward pass begins is looked at

Breaks: It fits if no moment of `step_ledger` exceeds the device's memory.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    _largest(device_bytes, recipe, **model)
    at = model["layers"] + 2
    none, one = (
        step_ledger(model_modules(batch=b, **model), recipe)[at][1]["total"] for b in (0, 1)
    )
    return (device_bytes - none) // (one - none)
