"""storage_index (core): only the last two dimensions count, as in a matrix

Breaks: The position in storage, in elements: `sum(index[d] * strides[d]) + offset`
"""


def storage_index(index, strides, offset=0):
    if len(index) != len(strides) or any(i < 0 for i in index):
        raise ValueError("no index of this layout")
    row, column = (0, 0, *index)[-2:]
    next_row, next_column = (0, 0, *strides)[-2:]
    return row * next_row + column * next_column + offset
