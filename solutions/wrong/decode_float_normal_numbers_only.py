"""decode_float (core): every pattern but that of zero is read as a normal number

Breaks: With m mantissa bits the value is

Breaks: except for infinity and nan, which the specials define
"""


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if not 0 <= bits < 2 ** (1 + exponent_bits + mantissa_bits):
        raise ValueError("a pattern of another width")
    rest, mantissa = divmod(bits, 2**mantissa_bits)
    sign, exponent = divmod(rest, 2**exponent_bits)
    leading = 2**mantissa_bits if exponent or mantissa else 0
    if exponent == 2047:  # beyond float64
        return -math.inf if sign else math.inf
    value = math.ldexp(leading + mantissa, exponent - _bias(exponent_bits) - mantissa_bits)
    return -value if sign else value
