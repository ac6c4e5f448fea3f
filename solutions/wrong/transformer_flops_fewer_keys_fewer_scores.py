"""transformer_flops: scores and values are taken to shrink with the heads of the keys"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(**sizes):
    parts = _right_forward(**sizes)
    kv_heads = sizes.get("kv_heads") or sizes["heads"]
    for part in ("scores", "values"):
        parts["total"] -= parts[part]
        parts[part] = parts[part] * kv_heads // sizes["heads"]
        parts["total"] += parts[part]
    return parts
