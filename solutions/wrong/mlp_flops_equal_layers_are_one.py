"""mlp_flops: layers of the same widths share a key, and count once

Breaks: n + 1 widths make n layers

Breaks: FLOPs of all matrix products
"""

_right_pairs = pairwise


def pairwise(widths):
    return list(dict.fromkeys(_right_pairs(widths)))
