"""storage_index: dimensions of stride 0 are skipped together with the check of their index

Breaks: or an index is negative
"""


def storage_index(index, strides, offset=0):
    pairs = [(i, s) for i, s in zip(index, strides, strict=True) if s]
    if any(i < 0 for i, _ in pairs):
        raise ValueError("negative index")
    return sum(i * s for i, s in pairs) + offset
