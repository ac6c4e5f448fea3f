"""expert_parameters: where there are dense layers, there is one"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    return _right_counts(**{**sizes, "dense_layers": min(sizes.get("dense_layers", 0), 1)})
