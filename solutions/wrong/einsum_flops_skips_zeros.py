"""einsum_flops: a size of 0 is skipped, as if it counted as 1

Breaks: it may be 0
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    _right_einsum(pattern, *shapes)
    return _right_einsum(pattern, *([size or 1 for size in shape] for shape in shapes))
