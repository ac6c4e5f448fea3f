"""prefill_decode_flops: the total is that of the weights

Breaks: and their "total".
"""


def _with_total(weights, attention):
    return {"weights": weights, "attention": attention, "total": weights}
