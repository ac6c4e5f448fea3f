"""einsum_flops: n - 1 multiplications are counted at each visit, and the addition is forgotten

Breaks: With n operands each visit takes n - 1 multiplications, and one addition to the result

Breaks: 2 per visit for two operands, as for `matmul_flops`, and 1 per visit for one operand

Breaks: For two operands with a common axis that is not in the result, torch counts the same
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    return _right_einsum(pattern, *shapes) // max(len(shapes), 1) * max(len(shapes) - 1, 1)
