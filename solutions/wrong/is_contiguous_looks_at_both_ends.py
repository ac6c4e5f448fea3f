"""storage_index: looks at the first and the last stride that is used, and not between them

Breaks: Whether the elements are stored in row-major order, without gaps or repeats.
"""


def is_contiguous(shape, strides):
    elements = math.prod(shape)
    used = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    if elements == 0 or not used:
        return True
    return used[0][0] * used[0][1] == elements and used[-1][1] == 1
