"""hidden_communication: only the backward pass hides: 4 FLOPs for each parameter and token

Breaks: each token takes 6 FLOPs for each of them
"""

from fractions import Fraction


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if not (parameters >= 1 and sent_bytes >= 0 and peak_flops > 0 and bandwidth > 0):
        raise ValueError("cannot be")
    ratio = Fraction(peak_flops) / Fraction(bandwidth)
    return math.ceil(ratio * sent_bytes / (4 * parameters))
