"""largest_batch: the peak of one sequence decides where the peak of all batches is

Breaks: It fits if no moment of `step_ledger` exceeds the device's memory.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    _largest(device_bytes, recipe, **model)
    none, one = (dict(step_ledger(model_modules(batch=b, **model), recipe)) for b in (0, 1))
    moment = max(one, key=lambda name: one[name]["total"])
    fixed = none[moment]["total"]
    return (device_bytes - fixed) // max(1, one[moment]["total"] - fixed)
