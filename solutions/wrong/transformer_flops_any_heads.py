"""transformer_flops: heads need not divide the width, since their number cancels out

Breaks: as for `transformer_parameters`; `seq_len`
"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(*, d_model, heads, **sizes):
    if heads > 0 and d_model % heads:
        return _right_forward(d_model=d_model, heads=1, **{**sizes, "kv_heads": None})
    return _right_forward(d_model=d_model, heads=heads, **sizes)
