"""einsum_flops: only the product is looked at, so that two negative sizes pass

Breaks: (1 is no exception) or a negative one
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    flops = _right_einsum(pattern, *([abs(size) for size in shape] for shape in shapes))
    sizes = {}
    for operand, shape in zip(pattern.partition("->")[0].split(","), shapes):
        for axis, size in zip(operand.split(), shape):
            if sizes.setdefault(axis, size) != size:
                raise ValueError(axis)
    if math.prod(sizes.values()) < 0:
        raise ValueError("negative")
    return flops
