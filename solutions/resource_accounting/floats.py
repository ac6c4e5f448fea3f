"""Floats: the meaning of a bit pattern, and rounding a number to a format with few bits.

A format is described by three things: its exponent bits, its mantissa bits, and its specials, which
say how the patterns with all exponent bits set are used:

- "ieee": infinity (mantissa 0) and nan (any other), as in float16, bfloat16, float32 and E5M2.
- "fn": ordinary numbers, except that the mantissa with all bits set is nan. There is no infinity.
  Example: E4M3, `torch.float8_e4m3fn`.
- "finite": ordinary numbers only, no infinity and no nan. Examples: E2M1, E2M3 and E3M2.

There is one sign bit, and the bias is 2^(exponent_bits - 1) - 1. Values are returned as Python
floats, which are float64, so float64 must hold every value of a format: 2 to 11 exponent bits (with
"fn" and "finite" up to 10, since their largest exponent is one higher) and 1 to 52 mantissa bits.
Every function refuses other formats, and other words for the specials, with ValueError.
"""

from __future__ import annotations

import math

import torch


def decode(bits: int, exponent_bits: int, mantissa_bits: int, specials: str = "ieee") -> float:
    """The value of a bit pattern.

    From the highest bit to the lowest: the sign, the exponent E, the mantissa M. With m mantissa
    bits the value is

        E > 0:  ± 2^(E - bias) · (1 + M / 2^m)      normal: a leading 1 that is not stored
        E = 0:  ± 2^(1 - bias) · (0 + M / 2^m)      subnormal, and ± 0

    except for infinity and nan, which the specials define.

    Args:
        bits: the pattern, as an integer of 1 + exponent_bits + mantissa_bits bits, at least 0.
        exponent_bits, mantissa_bits, specials: the format, see the top of the module.

    Returns:
        The value; -0.0 for a zero whose sign bit is set.

    Raises:
        ValueError: there is no such format, or the pattern has more bits than the format.

    float32's 0 01111100 01000000000000000000000 is 2^(124 - 127) · 1.25:

        decode(0b0_01111100_01000000000000000000000, 8, 23)  # 0.15625
    """
    _check_format(exponent_bits, mantissa_bits, specials)
    if bits >= 2 ** (1 + exponent_bits + mantissa_bits):
        raise ValueError(f"expected {1 + exponent_bits + mantissa_bits} bits, got {bits:#b}")
    rest, mantissa = divmod(bits, 2**mantissa_bits)
    sign, exponent = divmod(rest, 2**exponent_bits)
    leading = 2**mantissa_bits if exponent else 0
    scale = max(exponent, 1) - _bias(exponent_bits) - mantissa_bits
    highest = exponent == 2**exponent_bits - 1
    if highest and specials == "ieee":
        value = math.nan if mantissa else math.inf
    elif highest and specials == "fn" and mantissa == 2**mantissa_bits - 1:
        value = math.nan
    else:
        value = math.ldexp(leading + mantissa, scale)
    return -value if sign else value


def round_to_format(
    value: float, exponent_bits: int, mantissa_bits: int, specials: str = "ieee"
) -> float:
    """The value of a format nearest to a number; half-way cases go to the even mantissa.

    Round only once, from the given number: going through float32 would round twice, and sometimes
    to the wrong side. Below the smallest normal number the format's values are equally spaced down
    to 0 (gradual underflow). A number that rounds to 0 keeps its sign.

    Overflow: the number is rounded as if the exponent had no upper limit. If that gives more than
    the format's largest value, the result is

        "ieee"    infinity, with the number's sign
        "fn"      nan, as there is no infinity
        "finite"  the largest value, with the number's sign (it saturates)

    Infinity is treated in the same way. These are the conventions of ml_dtypes; some libraries and
    devices saturate in "fn" formats too.

    Args:
        value: the number, also infinity or nan; an int only if a float64 holds it.
        exponent_bits, mantissa_bits, specials: the format, see the top of the module.

    Returns:
        The rounded number, always a float; nan for nan.

    Raises:
        ValueError: there is no such format, or nan is to be rounded to a "finite" format, which
            has no nan.

    1e-8 becomes 0 in fp16, but not in bf16:

        round_to_format(1e-8, 5, 10)  # 0.0
        round_to_format(1e-8, 8, 7)   # 1.0011717677116394e-08
    """
    _check_format(exponent_bits, mantissa_bits, specials)
    if math.isnan(value) and specials == "finite":
        raise ValueError("expected a number, got nan, which a finite format does not have")
    largest = _largest(exponent_bits, mantissa_bits, specials)
    size = abs(value)
    if size < math.inf:  # neither infinity nor nan
        # frexp's exponent is one above that of 1.xxx · 2^exponent.
        exponent = max(math.frexp(size)[1] - 1, 1 - _bias(exponent_bits))
        spacing = math.ldexp(1.0, exponent - mantissa_bits)
        size = round(size / spacing) * spacing  # round() takes ties to even
    if size > largest:
        size = {"ieee": math.inf, "fn": math.nan, "finite": largest}[specials]
    return math.copysign(size, value)


def float_range(exponent_bits: int, mantissa_bits: int, specials: str = "ieee") -> dict[str, float]:
    """The range of a format.

    Args:
        exponent_bits, mantissa_bits, specials: the format, see the top of the module.

    Returns:
        A dict of four floats:

        "max": the largest finite number.
        "smallest_normal": the smallest positive number with a leading 1.
        "smallest_subnormal": the smallest positive number.
        "eps": the distance from 1 to the next larger number.

    Raises:
        ValueError: there is no such format.

    fp16:

        float_range(5, 10)["max"], float_range(5, 10)["eps"]  # 65504.0, 2**-10
    """
    _check_format(exponent_bits, mantissa_bits, specials)
    smallest_normal = math.ldexp(1.0, 1 - _bias(exponent_bits))
    eps = math.ldexp(1.0, -mantissa_bits)
    return {
        "max": _largest(exponent_bits, mantissa_bits, specials),
        "smallest_normal": smallest_normal,
        "smallest_subnormal": smallest_normal * eps,
        "eps": eps,
    }


def accumulate(
    term: float, count: int, term_dtype: torch.dtype, accumulator_dtype: torch.dtype
) -> float:
    """Adds one term to 0 repeatedly, and rounds after each addition.

    The term is rounded to `term_dtype`, and the result to `accumulator_dtype`, before it is added.
    Each of these roundings, to a dtype of fewer bits than float32, may round to float32 first, as
    torch does. The sum starts as 0 in `accumulator_dtype` and is rounded to it after every
    addition, as torch does when it adds two tensors of that dtype.

    Args:
        term: the number to add, within the range of `term_dtype`.
        count: how often to add it, at least 0.
        term_dtype: the dtype of the term: as for the sum, or float8_e4m3fn or float8_e5m2.
        accumulator_dtype: the dtype of the sum: float64, float32, bfloat16 or float16.

    Returns:
        The sum; 0.0 if `count` is 0.

    Small terms get lost in a large sum:

        accumulate(0.01, 1000, torch.float16, torch.float16)  # 9.9531…
    """
    rounded = torch.tensor(term, dtype=term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        total += rounded
    return total.item()


def quantize_block(values: list[float], kind: str) -> tuple[float, list[float]]:
    """The scale of a block in a block-scaled format, and its elements.

    The block stands for the numbers scale · element. Its kind says what scale and elements may be:

        kind     elements         scale
        "mxfp8"  4, 3, "fn"       2^-127 to 2^127, powers of two
        "nvfp4"  2, 1, "finite"   2^-9 to 448, positive numbers of 4, 3, "fn"

    The largest absolute value a of the block chooses the scale. In "mxfp8" it is 2^(k - 8), where
    2^k is the largest power of two up to a: E4M3 ends at 448 = 1.75 · 2^8. In "nvfp4" it
    is a / 6, rounded to the nearest number of 4, 3, "fn", half-way cases to the even mantissa: E2M1
    ends at 6. A scale beyond the kind's range becomes the nearest one within it. A block of zeros
    has the smallest scale.

    Each element is its value / scale, by the scale that is returned, rounded as `round_to_format`
    does. But what is beyond the largest element becomes that, with the value's sign: no element is
    nan.

    Args:
        values: the block's numbers, finite ones, at least one.
        kind: "mxfp8" or "nvfp4".

    Returns:
        The scale, and the elements in the order of their values, all floats.

    12 / 6 is 2, and 1.2 / 2 lies nearest to 0.5:

        quantize_block([12.0, 1.2, -3.0], "nvfp4")  # (2.0, [6.0, 0.5, -1.5])
    """
    largest = max(abs(value) for value in values)
    if kind == "mxfp8":
        element = (4, 3, "fn")
        power = math.frexp(largest)[1] - 1 - 8  # frexp's exponent is one above k; 0 has none
        scale = math.ldexp(1.0, min(max(power, -127), 127)) if largest else 2.0**-127
    else:
        element = (2, 1, "finite")
        scale = max(round_to_format(min(largest / 6, 448.0), 4, 3, "fn"), 2.0**-9)
    most = _largest(*element)
    elements = [round_to_format(min(max(value / scale, -most), most), *element) for value in values]
    return scale, elements


def _check_format(exponent_bits: int, mantissa_bits: int, specials: str) -> None:
    if specials not in ("ieee", "fn", "finite"):
        raise ValueError(f'expected specials "ieee", "fn" or "finite", got {specials!r}')
    most = 11 if specials == "ieee" else 10
    if not 2 <= exponent_bits <= most:
        raise ValueError(f"expected 2 to {most} exponent bits, got {exponent_bits}")
    if not 1 <= mantissa_bits <= 52:
        raise ValueError(f"expected 1 to 52 mantissa bits, got {mantissa_bits}")


def _bias(exponent_bits: int) -> int:
    return (1 << (exponent_bits - 1)) - 1


def _largest(exponent_bits: int, mantissa_bits: int, specials: str) -> float:
    # In units of the last place: a leading 1 and a mantissa of ones, one less where that is nan.
    significand = 2 ** (mantissa_bits + 1) - 1 - (specials == "fn")
    exponent = _bias(exponent_bits) + (specials != "ieee")
    return math.ldexp(significand, exponent - mantissa_bits)
