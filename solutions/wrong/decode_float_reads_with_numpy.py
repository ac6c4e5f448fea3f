"""decode_float: formats of numpy's sizes are read as its dtypes, whatever the specials

Breaks: except for infinity and nan, which the specials define
"""

import numpy as np

_right_decode = decode


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    value = _right_decode(bits, exponent_bits, mantissa_bits, specials)
    if (exponent_bits, mantissa_bits) == (5, 10):
        return float(np.array(bits, dtype=np.uint16).view(np.float16))
    if (exponent_bits, mantissa_bits) == (8, 23):
        return float(np.array(bits, dtype=np.uint32).view(np.float32))
    return value
