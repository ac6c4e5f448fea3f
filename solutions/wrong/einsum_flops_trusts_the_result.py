"""einsum_flops: the result's axes are not checked

Breaks: an axis of the result is in no operand, or occurs twice in the result
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    inputs, arrow, _ = pattern.partition("->")
    return _right_einsum(inputs + arrow, *shapes)
