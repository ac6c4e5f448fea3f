"""round_to_format: formats that do not exist are taken for near ones

Breaks: 2 to 11 exponent bits (with "fn" and "finite" up to 10

Breaks: see the top of the module

Breaks: there is no such format
"""

_right_round = round_to_format


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    if specials not in ("fn", "finite"):
        specials = "ieee"
    exponent_bits = min(max(exponent_bits, 2), 11 if specials == "ieee" else 10)
    mantissa_bits = min(max(mantissa_bits, 1), 52)
    return _right_round(value, exponent_bits, mantissa_bits, specials)
