"""pooled_reduction (core): reduces the first two positions, whatever follows them

Breaks: Reduces the positions of a sequence to one, feature by feature.
"""


def pool(x, how):
    if how not in ("mean", "sum", "max", "min"):
        raise ValueError("unknown reduction")
    if x.shape[-2] == 0 and how != "sum":
        raise ValueError("no positions")
    return reduce(x[..., :2, :], "... seq d -> ... d", how)
