"""einsum_flops: the sizes of all operands are multiplied, so that a shared axis counts twice

Breaks: So the FLOPs are n times the product of the sizes of all axes that the pattern names, each
counted once

Breaks: An axis that occurs twice in an operand means its diagonal
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    _right_einsum(pattern, *shapes)
    return len(shapes) * math.prod(math.prod(shape) for shape in shapes)
