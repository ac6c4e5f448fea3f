"""transformer_flops: all components but the lm_head are those of one layer

Breaks: FLOPs over all layers of "qkv"
"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(**sizes):
    parts = _right_forward(**sizes)
    parts = {
        part: n if part == "lm_head" else n // max(sizes["layers"], 1) for part, n in parts.items()
    }
    return {**parts, "total": sum(n for part, n in parts.items() if part != "total")}
