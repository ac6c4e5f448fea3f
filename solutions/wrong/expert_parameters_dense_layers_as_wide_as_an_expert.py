"""expert_parameters: the dense layers' feed-forward is as wide as an expert"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    return _right_counts(**{**sizes, "d_ff": sizes["d_expert"]})
