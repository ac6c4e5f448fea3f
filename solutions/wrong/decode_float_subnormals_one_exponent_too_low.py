"""decode_float: the exponent of subnormal numbers counts as 0 instead of 1

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
    else:
        leading = 2**mantissa_bits if exponent else 0
        value = math.ldexp(leading + mantissa, exponent - _bias(exponent_bits) - mantissa_bits)
    return -value if sign else value
