"""transformer_parameters: 0 key heads are as many as heads

Breaks: `heads` or `kv_heads` is less than 1
"""

_right_parameters = transformer_parameters


def transformer_parameters(*, kv_heads=None, **sizes):
    return _right_parameters(**sizes, kv_heads=kv_heads or sizes["heads"])
