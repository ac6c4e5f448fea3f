"""attention_variants: a shared key meets one query

Breaks: number of query heads, and of key and value heads

Breaks: to the keys of all key
heads and to their values
"""

_right_windowed = windowed_attention


def windowed_attention(**sizes):
    counts = _right_windowed(**sizes)
    return {**counts, "flops": 2 * counts["parameters"] + 2 * counts["cached"]}
