"""expert_parameters: the dense layers come on top of `layers`

Breaks: the dense ones included
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    return _right_counts(**{**sizes, "layers": sizes["layers"] + sizes.get("dense_layers", 0)})
