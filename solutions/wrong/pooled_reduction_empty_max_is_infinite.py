"""pooled_reduction: the largest of no positions is -inf, and the smallest inf

Breaks: "max"

Breaks: or "min" and there are no positions.
"""

_pool = pool


def pool(x, how):
    if how in ("max", "min") and x.shape[-2] == 0:
        extreme = float("-inf" if how == "max" else "inf")
        return x.new_full((*x.shape[:-2], x.shape[-1]), extreme)
    return _pool(x, how)
