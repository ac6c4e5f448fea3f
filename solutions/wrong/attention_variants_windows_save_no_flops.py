"""attention_variants: hidden scores are computed, and masked

Breaks: its queries with keys, and the attention
weights with values.
"""

_right_windowed = windowed_attention


def windowed_attention(*, windows, **sizes):
    counts = _right_windowed(windows=windows, **sizes)
    full = _right_windowed(windows=[None for _ in windows], **sizes)
    return {**counts, "flops": full["flops"]}
