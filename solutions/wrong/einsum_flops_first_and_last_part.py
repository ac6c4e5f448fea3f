"""einsum_flops: of several arrows the first and the last part are used, of none the whole

Breaks: the pattern does not have exactly one "->"
"""

_right_einsum = einsum_flops


def einsum_flops(pattern, *shapes):
    parts = pattern.split("->")
    return _right_einsum(f"{parts[0]}->{parts[-1] if len(parts) > 1 else ''}", *shapes)
