"""hidden_communication: the number of tokens is rounded down, which is one too few

Breaks: The fewest tokens per device for which compute takes at least as long as communication.

Breaks: From there on, communication can hide behind compute.
"""

from fractions import Fraction


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if not (parameters >= 1 and sent_bytes >= 0 and peak_flops > 0 and bandwidth > 0):
        raise ValueError("cannot be")
    ratio = Fraction(peak_flops) / Fraction(bandwidth)
    return int(ratio * sent_bytes / (6 * parameters))
