"""einsum_flops: an axis of size 1 goes with any other size, as in torch.einsum

Breaks: an axis has two different sizes (1 is no exception)
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    sizes = {}
    for operand, shape in zip(pattern.partition("->")[0].split(","), shapes):
        for axis, size in zip(operand.split(), shape):
            sizes[axis] = size if sizes.get(axis, 1) == 1 else sizes[axis]
    operands = [operand.split() for operand in pattern.partition("->")[0].split(",")]
    stretched = [
        [sizes[axis] if size == 1 else size for axis, size in zip(axes, shape)]
        if len(axes) == len(shape)
        else shape
        for axes, shape in zip(operands, shapes)
    ]
    return _right_einsum(pattern, *stretched, *shapes[len(stretched) :])
