"""einsum_flops: an addition counts only where an axis is summed over, as in opt_einsum

Breaks: The count is too high if an axis of only one operand could be summed first, if a product of
three could be computed two at a time, and if nothing is summed
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    flops = _right_einsum(pattern, *shapes)
    inputs, _, result = pattern.partition("->")
    if set(inputs.replace(",", " ").split()) - set(result.split()):
        return flops
    return flops // len(shapes) * (len(shapes) - 1)
