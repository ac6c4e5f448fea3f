"""row_major_strides (core): a stride is the product of the next two sizes, whatever follows them

Breaks: every other one is the product of the sizes to its right
"""


def row_major_strides(shape):
    sizes = [max(size, 1) for size in shape]
    return tuple(math.prod(sizes[d + 1 : d + 3]) for d in range(len(sizes)))
