"""prefill_decode_flops: the total is left out

Breaks: and their "total".
"""


def _with_total(weights, attention):
    return {"weights": weights, "attention": attention}
