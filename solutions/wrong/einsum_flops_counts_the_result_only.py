"""einsum_flops: only the axes of the result are visited, not those that are summed over

Breaks: FLOPs of an einsum, by the convention that every combination of all axes is visited once
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    _right_einsum(pattern, *shapes)
    inputs, _, result = pattern.partition("->")
    sizes = {}
    for operand, shape in zip(inputs.split(","), shapes):
        sizes.update(zip(operand.split(), shape))
    return len(shapes) * math.prod(sizes[axis] for axis in result.split())
