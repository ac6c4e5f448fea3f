"""transformer_parameters: keys and values are as wide as queries, however few heads they have

Breaks: each is shared by `heads / kv_heads` query heads (grouped-query attention)
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    _right_parameters(**sizes)
    return _right_parameters(**{**sizes, "kv_heads": None})
