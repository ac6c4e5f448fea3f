"""decode_roofline: the sequences of a batch run one after the other

Breaks: A step has two parts, which do not overlap: the products with weights, and attention.

Breaks: each weight is moved once, for 2 FLOPs of each sequence
"""

_right_step = decode_step


def decode_step(*, batch, **step):
    _right_step(batch=batch, **step)
    one = _right_step(batch=1, **step)
    times = {part: batch * one[part] for part in ("weights", "attention", "seconds")}
    return {**times, "tokens_per_second": one["tokens_per_second"]}
