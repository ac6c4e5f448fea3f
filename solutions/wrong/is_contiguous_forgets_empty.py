"""storage_index: a tensor without elements is held to the row-major strides

Breaks: a tensor without elements is contiguous whatever its strides;
"""


def is_contiguous(shape, strides):
    wanted = row_major_strides(shape)
    return all(n == 1 or s == w for n, s, w in zip(shape, strides, wanted, strict=True))
