"""Floats, by integers and powers of two."""

import math

import torch

SPECIALS = ("ieee", "fn", "finite")


def _limits(exponent_bits, mantissa_bits, specials):
    """(bias, pattern of the largest number); refuses invalid formats."""
    if specials not in SPECIALS:
        raise ValueError(f"specials must be one of {SPECIALS}")
    if exponent_bits < 2 or exponent_bits > 10 + (specials == "ieee"):
        raise ValueError(f"{exponent_bits} exponent bits")
    if mantissa_bits < 1 or mantissa_bits > 52:
        raise ValueError(f"{mantissa_bits} mantissa bits")
    every = (1 << (exponent_bits + mantissa_bits)) - 1
    top = {"ieee": every - (1 << mantissa_bits), "fn": every - 1, "finite": every}[specials]
    return (1 << exponent_bits >> 1) - 1, top


def decode(bits, exponent_bits, mantissa_bits, specials="ieee"):
    bias, top = _limits(exponent_bits, mantissa_bits, specials)
    half = 1 << (exponent_bits + mantissa_bits)
    if bits not in range(2 * half):
        raise ValueError(f"{bits} does not fit")
    sign = -1.0 if bits >= half else 1.0
    bits %= half
    if bits > top:
        return sign * math.inf if bits == top + 1 and specials == "ieee" else math.nan
    exponent = bits >> mantissa_bits
    fraction = (bits - (exponent << mantissa_bits)) * 2.0**-mantissa_bits
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias)
    return sign * (1 + fraction) * 2.0 ** (exponent - bias)


def round_to_format(value, exponent_bits, mantissa_bits, specials="ieee"):
    bias, top = _limits(exponent_bits, mantissa_bits, specials)
    largest = decode(top, exponent_bits, mantissa_bits, specials)
    over = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    if math.isnan(value):
        if specials == "finite":
            raise ValueError("nan")
        return math.nan
    if math.isinf(value):
        return math.copysign(over, value)
    numerator, denominator = abs(value).as_integer_ratio()
    # The unit is 2^place: that of the format's subnormals, or one that keeps mantissa_bits + 1
    # bits.
    place = 1 - bias - mantissa_bits
    place = max(place, numerator.bit_length() - denominator.bit_length() - mantissa_bits)
    if place < 0:
        numerator <<= -place
    else:
        denominator <<= place
    units, rest = divmod(2 * numerator + denominator, 2 * denominator)
    if rest == 0:  # half-way: rounded up so far
        units &= ~1
    size = units * 2.0**place if place > -1000 else math.ldexp(units, place)
    return math.copysign(size if size <= largest else over, value)


def float_range(exponent_bits, mantissa_bits, specials="ieee"):
    _, top = _limits(exponent_bits, mantissa_bits, specials)
    at = lambda bits: decode(bits, exponent_bits, mantissa_bits, specials)
    bias = (1 << exponent_bits >> 1) - 1
    return dict(
        smallest_subnormal=at(1),
        smallest_normal=at(1 << mantissa_bits),
        max=at(top),
        eps=at((bias << mantissa_bits) + 1) - 1.0,
    )


def accumulate(term, count, term_dtype, accumulator_dtype):
    if int(count) < 0:
        raise ValueError(f"count is {count}")
    for dtype in (term_dtype, accumulator_dtype):
        if not dtype.is_floating_point or str(dtype).endswith(("_x2", "e8m0fnu")):
            raise ValueError(f"{dtype} is not floating point")
    if accumulator_dtype.itemsize == 1:
        raise ValueError(f"no addition in {accumulator_dtype}")
    term = torch.full((), term, dtype=torch.float64).to(term_dtype).to(accumulator_dtype).double()
    # Add in float64: for numbers with few bits, its rounding does not affect the second rounding.
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(count):
        total = (total + term).to(accumulator_dtype).double()
    return float(total)


def quantize_block(values, kind):
    absolute = sorted(map(abs, values))[-1]
    if kind == "nvfp4":
        scales = [decode(bits, 4, 3, "fn") for bits in range(1, 127)]
        numbers = [decode(bits, 2, 1, "finite") for bits in range(8)]
        scale = _nearest(absolute / 6, scales)
    else:
        numbers = [decode(bits, 4, 3, "fn") for bits in range(127)]
        scale = 2.0**-127
        if absolute:
            scale = 2.0 ** sorted((-127, math.floor(math.log2(absolute)) - 8, 127))[1]
    return scale, [math.copysign(_nearest(abs(v) / scale, numbers), v) for v in values]


def _nearest(number, numbers):
    """Of neighbours that are equally near, the one whose index, its pattern, is even."""
    number = min(number, numbers[-1])
    i = min(range(len(numbers)), key=lambda i: (abs(numbers[i] - number), i))
    if i + 1 < len(numbers) and numbers[i + 1] - number == number - numbers[i]:
        even = i % 2 if len(numbers) == 126 else 1 - i % 2  # scales begin with pattern 1
        return numbers[i if even else i + 1]
    return numbers[i]
