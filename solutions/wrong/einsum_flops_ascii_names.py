"""einsum_flops: names are ASCII letters, digits and underscores

Breaks: Python identifiers
"""

_right_einsum_flops = einsum_flops


def einsum_flops(pattern, *shapes):
    import re

    for name in pattern.replace("->", " ").replace(",", " ").split():
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(name)
    return _right_einsum_flops(pattern, *shapes)
