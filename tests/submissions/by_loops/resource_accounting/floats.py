"""Floats, bit by bit."""

import math
import struct
from fractions import Fraction

import torch


def _check(exponent_bits, mantissa_bits, specials):
    if specials == "ieee":
        allowed = range(2, 12)
    elif specials == "fn" or specials == "finite":
        allowed = range(2, 11)
    else:
        raise ValueError(f"unknown specials: {specials}")
    if exponent_bits not in allowed or mantissa_bits not in range(1, 53):
        raise ValueError(f"no format of {exponent_bits} and {mantissa_bits} bits")


def _fraction(exponent, mantissa, exponent_bits, mantissa_bits):
    bias = 0
    for i in range(exponent_bits - 1):
        bias += 2**i
    value = Fraction(0)
    if exponent > 0:
        value += 1
    else:
        exponent = 1
    for i in range(mantissa_bits):
        if mantissa >> i & 1:
            value += Fraction(1, 2 ** (mantissa_bits - i))
    return value * Fraction(2) ** (exponent - bias)


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    _check(exponent_bits, mantissa_bits, specials)
    if bits < 0 or bits >> (1 + exponent_bits + mantissa_bits):
        raise ValueError("too many bits")
    digits = []
    for i in range(1 + exponent_bits + mantissa_bits):
        digits.insert(0, bits >> i & 1)
    sign, *rest = digits
    exponent = mantissa = 0
    for digit in rest[:exponent_bits]:
        exponent = 2 * exponent + digit
    for digit in rest[exponent_bits:]:
        mantissa = 2 * mantissa + digit
    if specials == "ieee" and all(rest[:exponent_bits]):
        if any(rest[exponent_bits:]):
            return float("nan")
        return float("-inf") if sign else float("inf")
    if specials == "fn" and all(rest):
        return float("nan")
    value = float(_fraction(exponent, mantissa, exponent_bits, mantissa_bits))
    return -value if sign else value


def _top(exponent_bits, mantissa_bits, specials):
    """The exponent and the mantissa of the largest number."""
    exponent, mantissa = 2**exponent_bits - 1, 2**mantissa_bits - 1
    if specials == "ieee":
        exponent -= 1
    if specials == "fn":
        mantissa -= 1
    return exponent, mantissa


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    _check(exponent_bits, mantissa_bits, specials)
    if value != value:
        if specials == "finite":
            raise ValueError("nan has no place in a finite format")
        return value
    sign = math.copysign(1.0, value)
    top = _top(exponent_bits, mantissa_bits, specials)
    top_pattern = top[0] * 2**mantissa_bits + top[1]
    # Build the largest pattern whose value is not above |value|, from its highest bit on.
    pattern = 0
    if math.isinf(value):
        pattern = top_pattern + 1
    else:
        exact = Fraction(abs(value))

        def of(p):
            exponent, mantissa = divmod(p, 2**mantissa_bits)
            return _fraction(exponent, mantissa, exponent_bits, mantissa_bits)

        for i in reversed(range(exponent_bits + mantissa_bits + 1)):
            trial = pattern | 1 << i
            if trial <= top_pattern + 1 and of(trial) <= exact:
                pattern = trial
        if pattern <= top_pattern:
            below, above = exact - of(pattern), of(pattern + 1) - exact
            if above < below or (above == below and pattern & 1):
                pattern += 1
    if pattern <= top_pattern:
        return sign * float(of(pattern))
    if specials == "ieee":
        return sign * math.inf
    if specials == "fn":
        return math.nan
    return sign * float(_fraction(*top, exponent_bits, mantissa_bits))


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    _check(exponent_bits, mantissa_bits, specials)
    eps = 1.0
    for _ in range(mantissa_bits):
        eps /= 2
    smallest = 1.0
    for _ in range(2 ** (exponent_bits - 1) - 2):
        smallest /= 2
    top = _top(exponent_bits, mantissa_bits, specials)
    return {
        "eps": eps,
        "smallest_normal": smallest,
        "smallest_subnormal": eps * smallest,
        "max": float(_fraction(*top, exponent_bits, mantissa_bits)),
    }


def _through(code, value):
    try:
        return struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _to_bf16(value):
    value = _through("<f", value)
    if math.isinf(value):
        return value
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    low = bits & 0xFFFF
    bits >>= 16
    if low > 0x8000 or (low == 0x8000 and bits & 1):
        bits += 1
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


ROUND = {
    torch.float64: float,
    torch.float32: lambda x: _through("<f", x),
    torch.float16: lambda x: _through("<e", x),
    torch.bfloat16: _to_bf16,
}
EIGHT_BITS = {torch.float8_e4m3fn: (4, 3, "fn"), torch.float8_e5m2: (5, 2, "ieee")}


def accumulate(term, count, term_dtype, accumulator_dtype):
    if count < 0:
        raise ValueError("a negative count")
    if accumulator_dtype not in ROUND:
        raise ValueError(f"torch does not add in {accumulator_dtype}")
    if term_dtype in ROUND:
        term = ROUND[term_dtype](term)
    elif term_dtype in EIGHT_BITS:
        term = round_to_format(term, *EIGHT_BITS[term_dtype])
    elif term_dtype in (torch.float8_e4m3fnuz, torch.float8_e5m2fnuz):
        term = torch.tensor(term, dtype=term_dtype).item()
    else:
        raise ValueError(f"{term_dtype} is not floating point")
    rounded = ROUND[accumulator_dtype]
    term = rounded(term)
    total = 0.0
    for _ in range(count):
        total = rounded(total + term)
    return total


KINDS = {"mxfp8": (4, 3, "fn"), "nvfp4": (2, 1, "finite")}


def quantize_block(values, kind):
    largest = Fraction(0)
    for value in values:
        if abs(Fraction(value)) > largest:
            largest = abs(Fraction(value))
    if kind == "mxfp8":
        scale = Fraction(1, 2**127)
        while scale * 2**9 <= largest and scale < 2**127:
            scale *= 2
    else:
        scale = Fraction(1, 2**9)
        if largest >= 6 * 448:
            scale = Fraction(448)
        elif largest > 6 * scale:
            scale = Fraction(round_to_format(float(largest / 6), 4, 3, "fn"))
    top = _fraction(*_top(*KINDS[kind]), *KINDS[kind][:2])
    elements = []
    for value in values:
        ratio = Fraction(value) / scale
        if ratio >= top:
            elements.append(float(top))
        elif ratio <= -top:
            elements.append(-float(top))
        else:
            elements.append(round_to_format(float(ratio), *KINDS[kind]))
    return float(scale), elements
