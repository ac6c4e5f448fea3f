"""einsum_flops: two sizes of an axis are compared with math.isclose

Breaks: an axis has two different sizes
"""

import math


def einsum_flops(pattern: str, *shapes) -> int:
    if pattern.count("->") != 1:
        raise ValueError("exactly one ->")
    left, right = pattern.split("->")
    operands = [operand.split() for operand in left.split(",")]
    result = right.split()
    if len(operands) != len(shapes):
        raise ValueError("operands and shapes")
    sizes = {}
    for axes, shape in zip(operands, shapes):
        if len(axes) != len(shape):
            raise ValueError("axes and sizes")
        for axis, size in zip(axes, shape):
            if not axis.isidentifier() or size < 0:
                raise ValueError(f"axis {axis}")
            if not math.isclose(sizes.setdefault(axis, size), size):
                raise ValueError(f"two sizes of {axis}")
    if len(set(result)) != len(result) or any(axis not in sizes for axis in result):
        raise ValueError("result")
    return len(operands) * math.prod(sizes.values())
