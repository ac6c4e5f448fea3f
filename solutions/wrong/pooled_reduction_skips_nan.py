"""pooled_reduction: a nan is left out of the largest and the smallest

Breaks: With any of them, a nan at any position gives nan.
"""


def pool(x, how):
    if how not in ("mean", "sum", "max", "min"):
        raise ValueError(how)
    if x.shape[-2] == 0 and how != "sum":
        raise ValueError("no positions")
    if how in ("max", "min"):
        x = x.nan_to_num(float("-inf") if how == "max" else float("inf"))
    return reduce(x, "... seq d -> ... d", how)
