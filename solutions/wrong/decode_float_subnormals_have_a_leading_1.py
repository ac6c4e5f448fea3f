"""decode_float: a leading 1 is added to subnormal numbers too

Breaks: With m mantissa bits the value is
"""


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    _check_format(exponent_bits, mantissa_bits, specials)
    if not 0 <= bits < 2 ** (1 + exponent_bits + mantissa_bits):
        raise ValueError("too many bits")
    rest, mantissa = divmod(bits, 2**mantissa_bits)
    sign, exponent = divmod(rest, 2**exponent_bits)
    highest = exponent == 2**exponent_bits - 1
    if highest and specials == "ieee":
        value = math.nan if mantissa else math.inf
    elif highest and specials == "fn" and mantissa == 2**mantissa_bits - 1:
        value = math.nan
    elif rest % 2**exponent_bits == 0 and mantissa == 0:
        value = 0.0
    else:
        scale = exponent - _bias(exponent_bits) - mantissa_bits
        value = math.ldexp(2**mantissa_bits + mantissa, scale)
    return -value if sign else value
