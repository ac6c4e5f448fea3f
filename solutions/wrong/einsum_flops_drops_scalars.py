"""einsum_flops: operands without axes are taken for stray commas

Breaks: An operand without axes is a scalar
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    inputs, arrow, result = pattern.partition("->")
    kept = ",".join(part for part in inputs.split(",") if part.strip())
    return _right_einsum(kept + arrow + result, *(shape for shape in shapes if len(shape)))
