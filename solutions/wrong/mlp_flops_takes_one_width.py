"""mlp_flops: a single width passes as an MLP without layers"""


def _layers(widths):
    return list(pairwise(widths))
