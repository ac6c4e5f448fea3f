"""mlp_flops: a batch of no rows is refused"""


def mlp_forward_flops(batch, widths):
    if len(widths) < 2 or batch < 1 or min(widths) < 0:
        raise ValueError("no mlp")
    return sum(2 * batch * a * b for a, b in pairwise(widths))
