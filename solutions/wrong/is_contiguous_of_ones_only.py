"""storage_index: fails where every size is 1, since no stride is left to look at

Breaks: the stride of a dimension of size 1 is

Breaks: never used, so it may have any value
"""


def is_contiguous(shape, strides):
    if not shape or 0 in shape:
        return True
    kept = [(n, s) for n, s in zip(shape, strides) if n != 1]
    if kept[-1][1] != 1:
        return False
    return all(s == n * t for (_, s), (n, t) in zip(kept, kept[1:]))
