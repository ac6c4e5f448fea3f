"""storage_index: a first size of 0 makes every stride 1

Breaks: where a size of 0 counts as 1, as in torch.
"""


def row_major_strides(shape):
    if any(size < 0 for size in shape):
        raise ValueError("a negative size")
    if shape and shape[0] == 0:
        return (1,) * len(shape)
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
