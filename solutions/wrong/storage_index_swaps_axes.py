"""storage_index: the strides are taken in reverse order, as if the column came first

Breaks: The position of an element in flat storage.
"""


def storage_index(index, strides, offset=0):
    if len(index) != len(strides) or any(i < 0 for i in index):
        raise ValueError("index does not fit")
    return sum(i * s for i, s in zip(index, reversed(strides), strict=True)) + offset
