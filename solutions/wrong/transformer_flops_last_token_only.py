"""transformer_flops: the lm_head is counted for the last token of each sequence alone

Breaks: of "lm_head", for every token
"""

_right_forward = transformer_forward_flops


def transformer_forward_flops(**sizes):
    parts = _right_forward(**sizes)
    last = parts["lm_head"] // max(sizes["seq_len"], 1)
    return {**parts, "total": parts["total"] - parts["lm_head"] + last, "lm_head": last}
