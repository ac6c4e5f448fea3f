"""attention_variants: a window larger than the context counts in full

Breaks: tokens in the sequence, at least 1
"""

_right_windowed = windowed_attention


def windowed_attention(*, windows, context, **sizes):
    counts = _right_windowed(windows=windows, context=context, **sizes)
    tokens = sum(context if window is None else window for window in windows)
    each = sizes["head_dim"] * sizes["kv_heads"]
    flops = 2 * counts["parameters"] + 4 * tokens * sizes["head_dim"] * sizes["heads"]
    return {**counts, "cached": 2 * tokens * each, "flops": flops}
