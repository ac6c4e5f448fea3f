"""mlp_flops: every layer is taken to begin at the input's width

Breaks: FLOPs of the forward pass of an MLP

Breaks: number of features before, between and after the layers

Breaks: layer i is `widths[i]` × `widths[i + 1]`
"""


def pairwise(widths):
    return [(widths[0], width) for width in widths[1:]]
