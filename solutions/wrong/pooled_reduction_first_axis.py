"""pooled_reduction: axis 1 is reduced, which is the positions' only under one leading axis

Breaks: Reduces the positions of a sequence to one, feature by feature.

Breaks: d features at each of seq positions, with any number of leading axes.

Breaks: d features. The sum
"""


def pool(x, how):
    if how not in ("mean", "sum", "max", "min"):
        raise ValueError(how)
    if x.shape[-2] == 0 and how != "sum":
        raise ValueError("no positions")
    reduced = {"mean": x.mean, "sum": x.sum, "max": x.amax, "min": x.amin}[how]
    return reduced(1)
