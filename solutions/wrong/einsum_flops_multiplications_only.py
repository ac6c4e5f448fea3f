"""einsum_flops: n - 1 multiplications are counted at each visit, and the addition is forgotten"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    return _right_einsum(pattern, *shapes) // max(len(shapes), 1) * max(len(shapes) - 1, 1)
