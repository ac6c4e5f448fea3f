"""transformer_parameters: attention and feed-forward are those of one layer

Breaks: Parameters of a decoder-only transformer, by component

Breaks: Parameters of "embedding", "attention", "feed_forward", "norms" and "lm_head", over all
layers, and their "total"
"""

_right_parameters = transformer_parameters


def transformer_parameters(**sizes):
    parts = _right_parameters(**sizes)
    for part in ("attention", "feed_forward"):
        parts[part] //= max(sizes["layers"], 1)
    parts["total"] = sum(n for part, n in parts.items() if part != "total")
    return parts
