"""transformer_parameters: only a negative total is refused, not every negative size

Breaks: a size is negative
"""


def transformer_parameters(
    *, vocab, layers, d_model, heads, d_ff, kv_heads=None, gated=True, tied=False
):
    d_kv = _kv_width(d_model, heads, kv_heads)
    parts = {
        "embedding": vocab * d_model,
        "attention": layers * 2 * d_model * (d_model + d_kv),
        "feed_forward": layers * _ff_matrices(gated) * d_model * d_ff,
        "norms": (2 * layers + 1) * d_model,
        "lm_head": 0 if tied else vocab * d_model,
    }
    total = sum(parts.values())
    if total < 0:
        raise ValueError("negative")
    return {**parts, "total": total}
