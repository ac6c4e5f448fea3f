"""expert_parameters: keys and values are as wide as queries, however few heads they have

Breaks: The model is that of `transformer_parameters`
"""

_right_counts = moe_parameters


def moe_parameters(**sizes):
    return _right_counts(**{**sizes, "kv_heads": None})
