"""einsum_flops: whatever is between blanks is taken for the name of an axis

Breaks: Names are Python identifiers, so there are no parentheses, no numbers, and no "..."

Breaks: an axis's name is not an identifier
"""


def einsum_flops(pattern, *shapes):
    if pattern.count("->") != 1:
        raise ValueError(pattern)
    inputs, _, result = pattern.partition("->")
    operands = [operand.split() for operand in inputs.split(",")]
    if [len(axes) for axes in operands] != [len(shape) for shape in shapes]:
        raise ValueError(shapes)
    sizes = {}
    for axis, size in zip(chain(*operands), chain(*shapes)):
        if size < 0 or sizes.setdefault(axis, size) != size:
            raise ValueError(axis)
    if len(set(result.split())) != len(result.split()) or not sizes.keys() >= {*result.split()}:
        raise ValueError(result)
    return len(operands) * math.prod(sizes.values())
