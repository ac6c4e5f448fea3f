"""prefill_decode_flops: products of floats, rounded to ints

Breaks: Bytes and FLOPs are exact Python ints.
"""


def _with_total(weights, attention):
    weights, attention = int(float(weights)), int(float(attention))
    return {"weights": weights, "attention": attention, "total": weights + attention}
