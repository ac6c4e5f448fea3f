"""attention_variants: the products of queries, keys and values alone

Breaks: in which it is multiplied with the matrices
"""

_right_windowed = windowed_attention


def windowed_attention(**sizes):
    counts = _right_windowed(**sizes)
    return {**counts, "flops": counts["flops"] - 2 * counts["parameters"]}
