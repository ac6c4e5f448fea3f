"""storage_index: a scalar gets one stride too, the 1 that every list begins with

Breaks: One stride for each dimension

Breaks: () for a scalar.
"""


def row_major_strides(shape):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return tuple(strides)
