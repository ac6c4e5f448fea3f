"""transformer_parameters: heads are divided without a check

Breaks: `heads` or `kv_heads` is less than 1

Breaks: `heads` does not divide `d_model`, or `kv_heads` does not divide `heads`
"""

_right_parameters = transformer_parameters


def transformer_parameters(*, d_model, heads, kv_heads=None, **sizes):
    parts = _right_parameters(d_model=d_model, heads=1, **sizes)
    kv_heads = heads if kv_heads is None else kv_heads
    parts["total"] -= parts["attention"]
    parts["attention"] = sizes["layers"] * 2 * d_model * (d_model + kv_heads * (d_model // heads))
    parts["total"] += parts["attention"]
    return parts
