"""largest_batch: a temporary tensor of the loss's size is counted too

Breaks: Temporary tensors, fragmentation and what the libraries take are not counted, so this is an
upper bound.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    _largest(device_bytes, recipe, **model)
    totals = []
    for batch in (0, 1):
        *others, (parameters, held, needed) = model_modules(batch=batch, **model)
        needed += 4 * batch * model["seq_len"] * model["vocab"]
        rows = step_ledger([*others, (parameters, held, needed)], recipe)
        totals.append([held["total"] for _, held in rows])
    pairs = zip(*totals, strict=True)
    return min((device_bytes - none) // (one - none) for none, one in pairs if one > none)
