"""largest_batch: sequences of a negative length are taken for one token

Breaks: `seq_len` is less than 1
"""

_largest = largest_batch


def largest_batch(device_bytes, recipe, **model):
    if model["seq_len"] < 0:
        model["seq_len"] = 1
    return _largest(device_bytes, recipe, **model)
