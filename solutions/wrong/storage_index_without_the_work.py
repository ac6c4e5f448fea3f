"""storage_index (core): layouts are matrices: two sizes and two indices count, and both ends decide

Breaks: every other one is the product of the sizes to its right

Breaks: The position in storage, in elements: `sum(index[d] * strides[d]) + offset`

Breaks: Whether the elements are stored in row-major order, without gaps or repeats.
"""


def row_major_strides(shape):
    sizes = [max(size, 1) for size in shape]
    return tuple(math.prod(sizes[d + 1 : d + 3]) for d in range(len(sizes)))


def storage_index(index, strides, offset=0):
    row, column = (0, 0, *index)[-2:]
    next_row, next_column = (0, 0, *strides)[-2:]
    return row * next_row + column * next_column + offset


def is_contiguous(shape, strides):
    used = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    if 0 in shape or not used:
        return True
    return used[0][0] * used[0][1] == math.prod(shape) and used[-1][1] == 1
