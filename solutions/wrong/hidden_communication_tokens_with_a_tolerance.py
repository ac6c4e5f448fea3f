"""hidden_communication: a little less than a billionth above a whole number is rounded down"""

from fractions import Fraction


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if not (parameters >= 1 and sent_bytes >= 0 and peak_flops > 0 and bandwidth > 0):
        raise ValueError("cannot be")
    ratio = Fraction(peak_flops) / Fraction(bandwidth)
    exact = ratio * sent_bytes / (6 * parameters)
    return math.ceil(exact * (1 - Fraction(1, 10**9)))
