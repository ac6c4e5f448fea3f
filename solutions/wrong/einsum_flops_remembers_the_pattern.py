"""einsum_flops: results are kept by pattern, so that other shapes get the FLOPs of the first ones

Breaks: So the FLOPs are n times the product of the sizes of all axes that the pattern names
"""

_right_einsum = einsum_flops
_known = {}


def einsum_flops(pattern, *shapes):
    if pattern not in _known:
        _known[pattern] = _right_einsum(pattern, *shapes)
    return _known[pattern]
