"""hidden_communication: a sign of peak and bandwidth alone, or nan in one of them, is not noticed

Breaks: `peak_flops` or `bandwidth` is not positive
"""


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if parameters < 1 or sent_bytes < 0 or peak_flops * bandwidth <= 0:
        raise ValueError("cannot be")
    return math.ceil(Fraction(peak_flops) / Fraction(bandwidth) * sent_bytes / (6 * parameters))
