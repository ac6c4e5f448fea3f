"""mlp_flops: a width of 0 is refused in the forward pass"""


def mlp_forward_flops(batch, widths):
    if len(widths) < 2 or batch < 0 or min(widths) < 1:
        raise ValueError("no mlp")
    return sum(2 * batch * a * b for a, b in pairwise(widths))
