"""storage_index: strides are given in bytes of float32, as numpy does, not in elements

Breaks: all counted in elements, never in bytes

Breaks: One stride for each dimension, in elements.
"""


def row_major_strides(shape):
    return tuple(4 * math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape)))
