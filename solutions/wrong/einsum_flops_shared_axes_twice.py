"""einsum_flops: the sizes of all operands are multiplied, so that a shared axis counts twice"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    _right_einsum(pattern, *shapes)
    return len(shapes) * math.prod(math.prod(shape) for shape in shapes)
