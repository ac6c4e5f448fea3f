"""pooled_reduction: axis 1 is reduced, which is the positions' only under one leading axis"""


def pool(x, how):
    if how not in ("mean", "sum", "max", "min"):
        raise ValueError(how)
    if x.shape[-2] == 0 and how != "sum":
        raise ValueError("no positions")
    reduced = {"mean": x.mean, "sum": x.sum, "max": x.amax, "min": x.amin}[how]
    return reduced(1)
