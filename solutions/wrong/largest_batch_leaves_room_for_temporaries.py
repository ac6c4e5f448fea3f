"""largest_batch: the loss's gradient is counted too

Breaks: Temporary tensors, fragmentation and what the libraries take are not counted, so this is an
upper bound.
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    found = _largest(device_bytes, recipe, **model)
    size = 4 * model["seq_len"] * model["vocab"]
    return max(0, found - (found * size) // (device_bytes + 1))
