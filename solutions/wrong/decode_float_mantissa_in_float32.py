"""decode_float: the mantissa goes through float32, which keeps 24 bits of it

Breaks: Values are returned as Python floats, which are float64, so float64 must hold every value
of a format
"""

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    fraction, exponent = math.frexp(_right_decode(bits, exponent_bits, mantissa_bits, specials))
    return math.ldexp(torch.tensor(fraction, dtype=torch.float32).item(), exponent)
