"""storage_index: a negative position is refused instead of a negative index

Breaks: none of them negative.
"""


def storage_index(index, strides, offset=0):
    if len(index) != len(strides):
        raise ValueError("index does not fit")
    position = sum(i * s for i, s in zip(index, strides, strict=True)) + offset
    if position < 0:
        raise ValueError("before the start of storage")
    return position
