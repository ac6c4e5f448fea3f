"""storage_index: a size of 0 makes every stride to its left 0

Breaks: every other one is the product of the sizes to its right, where a size of 0 counts as 1, as
in torch.
"""


def row_major_strides(shape):
    return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))
