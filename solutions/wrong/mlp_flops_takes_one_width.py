"""mlp_flops: a single width passes as an MLP without layers

Breaks: fewer than two widths
"""


def _layers(widths):
    return list(pairwise(widths))
