"""pooled_reduction: what einops knows beyond the four is let through

Breaks: `how` is something else,
"""


def pool(x, how):
    if x.shape[-2] == 0 and how != "sum":
        raise ValueError("no positions")
    try:
        return reduce(x, "... seq d -> ... d", how)
    except Exception as error:
        raise ValueError(how) from error
