"""pooled_reduction: max and min go by the magnitude"""


def pool(x, how):
    if how not in ("mean", "sum", "max", "min"):
        raise ValueError(how)
    if x.shape[-2] == 0 and how != "sum":
        raise ValueError("no positions")
    return reduce(x.abs() if how in ("max", "min") else x, "... seq d -> ... d", how)
