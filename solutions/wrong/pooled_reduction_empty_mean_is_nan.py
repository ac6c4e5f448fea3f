"""pooled_reduction: the mean of no positions is nan

Breaks: or `how` is "mean", "max" or "min" and there are no positions.
"""


def pool(x, how):
    if how not in ("mean", "sum", "max", "min"):
        raise ValueError(how)
    if x.shape[-2] == 0 and how in ("max", "min"):
        raise ValueError("no positions")
    return reduce(x, "... seq d -> ... d", how)
