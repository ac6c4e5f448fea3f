"""transformer_parameters: without kv_heads there is one key head for all queries

Breaks: None means as many as `heads`
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    if sizes.get("kv_heads") is None:
        sizes["kv_heads"] = 1
    return _right_parameters(**sizes)
