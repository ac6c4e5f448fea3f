"""hidden_communication: floats count as the decimals that they are printed with"""

from fractions import Fraction


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if not (parameters >= 1 and sent_bytes >= 0 and peak_flops > 0 and bandwidth > 0):
        raise ValueError("cannot be")
    ratio = Fraction(str(peak_flops)) / Fraction(str(bandwidth))
    return math.ceil(ratio * sent_bytes / (6 * parameters))
