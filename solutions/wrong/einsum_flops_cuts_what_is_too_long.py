"""einsum_flops: operands and shapes are zipped, and what one has too many is dropped

Breaks: there are more or fewer shapes than operands, or sizes than axes
"""


def einsum_flops(pattern, *shapes):
    inputs, arrow, result = pattern.partition("->")
    if not arrow:
        raise ValueError("no arrow")
    sizes = {}
    for operand, shape in zip(inputs.split(","), shapes):
        for axis, size in zip(operand.split(), shape):
            if not axis.isidentifier() or size < 0 or sizes.setdefault(axis, size) != size:
                raise ValueError(axis)
    if len(set(result.split())) != len(result.split()) or set(result.split()) - set(sizes):
        raise ValueError(result)
    return len(inputs.split(",")) * math.prod(sizes.values())
