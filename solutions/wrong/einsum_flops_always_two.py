"""einsum_flops: 2 FLOPs are counted at each visit, whatever the number of operands

Breaks: With n operands each visit takes n - 1 multiplications, and one addition to the result

Breaks: and 1 per visit for one operand
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    return 2 * (_right_einsum(pattern, *shapes) // max(len(shapes), 1))
