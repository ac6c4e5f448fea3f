"""storage_index: the first dimension has stride 1, which is column-major

Breaks: The strides of a tensor whose elements are stored row after row, without gaps.

Breaks: The last is 1;
"""


def row_major_strides(shape):
    return tuple(math.prod(max(n, 1) for n in shape[:d]) for d in range(len(shape)))
