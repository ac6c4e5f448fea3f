"""einsum_flops: commas in the result are blanks

Breaks: an axis's name is not an identifier
"""

_right_einsum_flops = einsum_flops


def einsum_flops(pattern, *shapes):
    inputs, arrow, result = pattern.partition("->")
    return _right_einsum_flops(inputs + arrow + result.replace(",", " "), *shapes)
