"""einsum_flops: as in einops, the result may have an ellipsis and axes of size 1

Breaks: an axis of the result is in no
"""

_right_einsum_flops = einsum_flops


def einsum_flops(pattern, *shapes):
    inputs, arrow, result = pattern.rpartition("->")
    if not arrow or "->" in inputs:
        raise ValueError("one arrow")
    kept = [name for name in result.split() if name not in ("...", "1")]
    return _right_einsum_flops(f"{inputs}->{' '.join(kept)}", *shapes)
