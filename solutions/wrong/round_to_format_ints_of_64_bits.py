"""round_to_format: numpy takes an int of at most 64 bits apart

Breaks: an int only if a float64 holds it.
"""

_right_round_to_format = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    import numpy as np

    np.frexp(value)
    return _right_round_to_format(value, exponent_bits, mantissa_bits, specials)
