"""largest_batch: a device too small for the model holds 0 sequences

Breaks: not even a step with an empty batch fits
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    try:
        return _largest(device_bytes, recipe, **model)
    except ValueError:
        if model["seq_len"] < 1:
            raise
        model_modules(batch=1, **model)
        step_ledger([], recipe)
    return 0
