"""Floats, compared with ml_dtypes, numpy and torch, and with exact fractions in any format.

ml_dtypes and torch round a float64 to float32 first, and then once more. So they only serve for
numbers that float32 holds; for others we use numpy (fp16, fp32) and fractions.
"""

import bisect
import math
from fractions import Fraction
from functools import partial

import ml_dtypes
import numpy as np
import pytest
import torch

from assignment.expect import expect

# Formats with an independent implementation, by exponent bits, mantissa bits and specials.
SMALL = {
    (5, 2, "ieee"): ml_dtypes.float8_e5m2,
    (4, 3, "ieee"): ml_dtypes.float8_e4m3,
    (3, 4, "ieee"): ml_dtypes.float8_e3m4,
    (4, 3, "fn"): ml_dtypes.float8_e4m3fn,
    (2, 3, "finite"): ml_dtypes.float6_e2m3fn,
    (3, 2, "finite"): ml_dtypes.float6_e3m2fn,
    (2, 1, "finite"): ml_dtypes.float4_e2m1fn,
}
WIDE = {
    (5, 10, "ieee"): np.float16,
    (8, 7, "ieee"): ml_dtypes.bfloat16,
    (8, 23, "ieee"): np.float32,
    (11, 52, "ieee"): np.float64,
}
SPECIALS = ["ieee", "fn", "finite"]
NO_FORMAT = [(bits, 3, s) for s in SPECIALS for bits in (-3, 0, 1, 12 if s == "ieee" else 11)]
NO_FORMAT += [(4, bits, s) for s in SPECIALS for bits in (-1, 0, 53)]
NO_FORMAT += [(4, 3, "IEEE"), (4, 3, "")]
LIMITS = [(2, 1, s) for s in SPECIALS] + [(11, 52, "ieee"), (10, 52, "fn"), (10, 52, "finite")]


def same(found, expected, what):
    """Checks for the same float: nan for nan, and a zero with the same sign."""
    expect(found, what).is_a(float)
    if math.isnan(expected):
        expect([math.isnan(found)], f"whether {what}, {found}, is nan").equals([True])
    else:
        signs = math.copysign(1.0, found), math.copysign(1.0, expected)
        expect((found, signs[0]), f"{what} and its sign").equals((expected, signs[1]))


def random_format(rng, specials=None):
    specials = specials or str(rng.choice(SPECIALS))
    most = 11 if specials == "ieee" else 10
    mantissa_bits = int(rng.choice([1, 2, 3, 7, 10, 23, 52, rng.integers(1, 53)]))
    return int(rng.integers(2, most + 1)), mantissa_bits, specials


def top_pattern(format):
    """The pattern of the largest number: the last one before infinity or nan, or the last of
    all."""
    exponent_bits, mantissa_bits, specials = format
    if specials == "ieee":
        return (1 << (exponent_bits + mantissa_bits)) - (1 << mantissa_bits) - 1
    return (1 << (exponent_bits + mantissa_bits)) - (2 if specials == "fn" else 1)


def ordinary_pattern(rng, format):
    """The pattern of a positive normal number below the highest exponent."""
    exponent_bits, mantissa_bits, _ = format
    return int(rng.integers(1 << mantissa_bits, ((1 << exponent_bits) - 1) << mantissa_bits))


def exact(pattern, format):
    """The value of a positive pattern, without specials and without a limit of the exponent."""
    exponent_bits, mantissa_bits, _ = format
    exponent, mantissa = pattern >> mantissa_bits, pattern % (1 << mantissa_bits)
    fraction = Fraction(mantissa, 1 << mantissa_bits) + (exponent > 0)
    return fraction * Fraction(2) ** (max(exponent, 1) - (1 << (exponent_bits - 1)) + 1)


def nearest(value, format):
    """A float rounded to a format, by bisection: patterns are in the same order as their values."""
    top, size = top_pattern(format), Fraction(abs(value))
    low = bisect.bisect(range(top + 2), size, key=lambda pattern: exact(pattern, format)) - 1
    middle = (exact(low, format) + exact(low + 1, format)) / 2
    pattern = low + (size > middle or (size == middle and low % 2 == 1))
    if pattern <= top:
        return math.copysign(float(exact(pattern, format)), value)
    limit = {"ieee": math.inf, "fn": math.nan, "finite": float(exact(top, format))}
    return math.copysign(limit[format[2]], value)


def random_values(rng, format, count):
    """Values over the format's whole range, and a little beyond it at both ends."""
    bias = 2 ** (format[0] - 1) - 1
    exponents = rng.uniform(max(-bias - format[1] - 2, -1070), min(bias + 3, 1023), size=count)
    return [2.0**exponent for exponent in exponents.tolist()]


def extremes(format):
    """Values that random draws may miss: near the largest, far above it, and near the smallest.

    A quarter of a unit above the largest rounds down to it; 0.3 of the smallest rounds to zero.
    """
    top, smallest = top_pattern(format), exact(1, format)
    largest, unit = exact(top, format), exact(top + 1, format) - exact(top, format)
    sizes = [largest + unit / 4, 2 * largest, smallest * Fraction(3, 10), smallest * Fraction(9, 4)]
    return [float(size) for size in sizes]


def narrowed(format, mantissa_bits):
    """The format, with its mantissa bits limited to this number."""
    return format[0], min(format[1], mantissa_bits), format[2]


def sign_bit(format):
    return 1 << (format[0] + format[1])


# --- decode_float -----------------------------------------------------------


def check_decoded(later, bits, format, expected):
    what = f"decode({bits:#b}, {format})"
    later.floats.decode(bits, *format).then(partial(same, expected=expected, what=what))


def check_number(later, bits, format, value=None):
    """Compares a pattern without and with the sign; its value is exact unless it is special."""
    value = float(exact(bits, format)) if value is None else value
    check_decoded(later, bits, format, value)
    check_decoded(later, bits + sign_bit(format), format, -value)


def check_numbers(later, rng, format):
    """Compares a normal and a subnormal number."""
    for bits in (ordinary_pattern(rng, format), int(rng.integers(1, 1 << format[1]))):
        check_decoded(later, bits, format, float(exact(bits, format)))


def check_highest(later, rng, format):
    """Compares numbers that have the highest exponent."""
    top, highest = top_pattern(format), ((1 << format[0]) - 1) << format[1]
    for bits in {top, highest, int(rng.integers(highest, top + 1))}:
        check_number(later, bits, format)


def check_patterns(later, patterns, format, kind):
    """Compares with the values that numpy or ml_dtypes gives to patterns."""
    patterns = np.array(patterns, dtype=f"uint{8 * np.dtype(kind).itemsize}")
    with np.errstate(all="ignore"):
        values = patterns.view(kind).astype(np.float64)
    for bits, value in zip(patterns, values, strict=True):
        check_decoded(later, int(bits), format, float(value))


@pytest.mark.exercise("decode_float", weight=2)
def test_small_formats(later, rng):
    """Patterns of 4, 6 and 8 bits have the values of ml_dtypes, as floats"""
    for format, kind in SMALL.items():
        patterns = rng.choice(2 * sign_bit(format), size=16, replace=False)
        if format[2] == "fn":
            patterns[0] = top_pattern(format) + 1  # its nan
        check_patterns(later, patterns, format, kind)


@pytest.mark.exercise("decode_float")
def test_wide_formats(later, rng):
    """Patterns of fp16, bf16, fp32 and fp64 have the values that the machine gives them"""
    for format, kind in WIDE.items():
        largest, top = 2 * sign_bit(format) - 1, top_pattern(format)
        patterns = rng.integers(0, largest, size=16, dtype=np.uint64, endpoint=True).tolist()
        patterns += [int(rng.integers(1, 1 << format[1])), top, top + 1, top + 2]  # inf, and a nan
        check_patterns(later, patterns, format, kind)


@pytest.mark.exercise("decode_float")
def test_any_format(later, rng):
    """Normal numbers of any format have a leading 1, and the bias is the middle exponent"""
    for _ in range(40):
        format = random_format(rng)
        check_number(later, ordinary_pattern(rng, format), format)


@pytest.mark.exercise("decode_float")
def test_subnormals(later, rng):
    """With exponent 0 there is no leading 1, and the exponent counts as 1"""
    for _ in range(40):
        format = random_format(rng)
        check_number(later, int(rng.integers(1, 1 << format[1])), format)


@pytest.mark.exercise("decode_float")
def test_zeros(later, rng):
    """There are two zeros, and the one with the sign bit is negative"""
    for _ in range(20):
        format = random_format(rng)
        check_number(later, 0, format)
        check_decoded(later, 1, format, float(exact(1, format)))


@pytest.mark.exercise("decode_float")
def test_ieee_specials(later, rng):
    """In "ieee" formats the highest exponent means infinity with mantissa 0, and nan otherwise"""
    for _ in range(10):
        format = random_format(rng, "ieee")
        top = top_pattern(format)
        check_decoded(later, top, format, float(exact(top, format)))
        check_number(later, top + 1, format, math.inf)
        check_decoded(later, top + 1, format[:2], math.inf)  # the default
        for nan in {2, 1 << format[1], int(rng.integers(2, 2 ** format[1] + 1))}:
            check_number(later, top + nan, format, math.nan)


@pytest.mark.exercise("decode_float")
def test_fn_specials(later, rng):
    """In "fn" formats only exponent and mantissa with all bits set are nan, whatever the sign"""
    for _ in range(10):
        format = random_format(rng, "fn")
        check_highest(later, rng, format)
        check_number(later, top_pattern(format) + 1, format, math.nan)


@pytest.mark.exercise("decode_float")
def test_finite_formats_have_no_specials(later, rng):
    """In "finite" formats every pattern is a number"""
    for _ in range(10):
        check_highest(later, rng, random_format(rng, "finite"))


@pytest.mark.exercise("decode_float")
def test_the_specials_say_what_the_highest_exponent_means(later, rng):
    """A pattern has its own value for each of the specials, in formats of every size"""
    for size in [(5, 10), (8, 7), (8, 23), (4, 3), (5, 2), random_format(rng, "fn")[:2]]:
        highest, last = ((1 << size[0]) - 1) << size[1], (1 << sum(size)) - 1
        for bits in {highest, last, int(rng.integers(highest, last + 1))}:
            special = {
                "ieee": math.inf if bits == highest else math.nan,
                "fn": math.nan if bits == last else None,
            }
            for specials in rng.permutation(SPECIALS).tolist():
                check_number(later, bits, (*size, specials), special.get(specials))


@pytest.mark.exercise("decode_float")
def test_refuses_patterns_of_another_width(later, rng):
    """A pattern with too many bits is refused"""
    for specials in SPECIALS * 4:
        format = random_format(rng, specials)
        end = 2 * sign_bit(format)
        for bits in (end, end + 1, 8 * end):
            later.floats.decode(bits, *format).raises(ValueError)
        check_numbers(later, rng, format)


@pytest.mark.exercise("decode_float")
def test_decode_refuses_what_is_no_format(later, rng):
    """Too many or too few exponent or mantissa bits, or unknown specials, are refused"""
    for format in NO_FORMAT:
        later.floats.decode(1, *format).raises(ValueError)
    for format in LIMITS:
        check_numbers(later, rng, format)


# --- round_to_format --------------------------------------------------------


def check_rounded(later, value, format, expected):
    """Compares what a number, and its negative, round to."""
    for sign in (1, -1):
        what = f"round_to_format({sign * value!r}, {format})"
        check = partial(same, expected=sign * expected, what=what)
        later.floats.round_to_format(sign * value, *format).then(check)


def check_like(later, values, format, kind):
    """Compares with the rounding of numpy or ml_dtypes."""
    with np.errstate(all="ignore"):
        rounded = np.array(values).astype(kind).astype(np.float64)
    for value, expected in zip(values, rounded, strict=True):
        check_rounded(later, float(value), format, float(expected))


def check_rounds(later, rng, format):
    """Compares a quarter of a step above a number, which rounds down to it.

    It is normal, not close to the largest, and in the range of float32, which need other rules.
    """
    format = exponent_bits, mantissa_bits, _ = narrowed(format, 20)
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = int(rng.integers(max(bias - 100, 1), min(bias + 100, 2 * bias)))
    bits = (exponent << mantissa_bits) + int(rng.integers(1 << mantissa_bits))
    value, quarter = exact(bits, format), (exact(bits + 1, format) - exact(bits, format)) / 4
    check_rounded(later, float(value + quarter), format, float(value))


@pytest.mark.exercise("round_to_format", weight=2)
def test_rounds_to_small_formats(later, rng):
    """In formats of 4, 6 and 8 bits and in bf16, numbers and infinities round as in ml_dtypes"""
    for format, kind in [*SMALL.items(), ((8, 7, "ieee"), ml_dtypes.bfloat16)]:
        values = [*random_values(rng, format, 14), *extremes(format)]
        with np.errstate(all="ignore"):
            check_like(later, np.array(values, dtype=np.float32), format, kind)


@pytest.mark.exercise("round_to_format")
def test_rounds_to_wide_formats(later, rng):
    """In fp16 and fp32 numbers round as in numpy, and in fp64 they do not change"""
    for format, kind in WIDE.items():
        if kind is not ml_dtypes.bfloat16:
            beyond = [] if kind is np.float64 else extremes(format)
            check_like(later, [*random_values(rng, format, 30), *beyond], format, kind)


@pytest.mark.exercise("round_to_format")
def test_rounds_to_any_format(later, rng):
    """Numbers round to the nearest value of any format"""
    for _ in range(30):
        format = narrowed(random_format(rng), 25)  # so that no random number is half-way
        bias = 2 ** (format[0] - 1) - 1
        for exponent in rng.uniform(1 - bias, bias, size=2).tolist():  # normal numbers only
            check_rounded(later, 2.0**exponent, format, nearest(2.0**exponent, format))


@pytest.mark.exercise("round_to_format")
def test_values_of_the_format_stay(later, rng):
    """Values of the format do not change: normal, subnormal, the largest, and both zeros"""
    for i in range(15):
        # The smallest value of one format is far below the range of float32.
        format = narrowed(random_format(rng), 50) if i else (11, 10, "ieee")
        top, one = top_pattern(format), 1 << format[1]
        for bits in (top, one, 1, int(rng.integers(1, one)), int(rng.integers(one, top + 1))):
            value = float(exact(bits, format))
            check_rounded(later, value, format, value)
        check_rounded(later, 0.0, format, 0.0)
        for whole in (1, 2):
            check_rounded(later, whole, format, float(whole))
        later.floats.round_to_format(0, *format).equals(0.0)
        check_rounded(later, 5 * 2**70, (11, 3, "ieee"), 5 * 2.0**70)  # an int of more than 64 bits
        # Other numbers do change.
        check_rounds(later, rng, format)
    for exponent in rng.integers(-1000, 1000, size=5):
        value = math.nextafter(2.0 ** int(exponent), 0.0)  # whose logarithm rounds up
        check_rounded(later, value, (11, 52, "ieee"), value)


def neighbours(rng, count):
    """Formats, a random pattern of each, its value and that of the next pattern.

    The formats are random ones and, three times each, those that torch and ml_dtypes have.
    """
    named = [format for format in (*SMALL, *WIDE) if format[1] < 52] * 3
    for format in [*named, *(random_format(rng) for _ in range(count))]:
        format = narrowed(format, 50)  # so that half-way is a float64
        if format[2] == "ieee" and format[0] == 11:
            format = 10, *format[1:]
        subnormal = rng.random() < 0.3
        bits = int(rng.integers(1, 1 << format[1] if subnormal else top_pattern(format)))
        yield format, bits, exact(bits, format), exact(bits + 1, format)


@pytest.mark.exercise("round_to_format", weight=2)
def test_ties_go_to_the_even_mantissa(later, rng):
    """Half-way cases round to the even mantissa"""
    for format, bits, low, high in neighbours(rng, 60):
        even = low if bits % 2 == 0 else high
        check_rounded(later, float((low + high) / 2), format, float(even))


@pytest.mark.exercise("round_to_format")
def test_almost_ties_are_none(later, rng):
    """Numbers close to half-way round to the nearer value: they are rounded only once"""
    for format, _, low, high in neighbours(rng, 40):
        middle = float((low + high) / 2)
        check_rounded(later, math.nextafter(middle, math.inf), format, float(high))
        check_rounded(later, math.nextafter(middle, 0.0), format, float(low))


@pytest.mark.exercise("round_to_format")
def test_underflow_is_gradual(later, rng):
    """Small numbers round to subnormal numbers or to a zero with the same sign"""
    for i in range(20):
        format = random_format(rng) if i else (10, 10, "ieee")  # far below what float32 holds
        smallest = float(exact(1, format))
        if smallest > 1e-300:  # else float64 has no smaller numbers
            for share in (float(rng.uniform(0.01, 0.49)), 0.5):
                check_rounded(later, smallest * share, format, 0.0)
            check_rounded(later, smallest * float(rng.uniform(0.51, 0.99)), format, smallest)
        value = smallest * (int(rng.integers(1, 1 << format[1])) + float(rng.uniform(-0.4, 0.4)))
        check_rounded(later, value, format, nearest(value, format))


def around_the_top(rng, specials):
    """Formats, the largest value, and the middle between it and the next value."""
    for _ in range(12):
        format = random_format(rng, specials)
        format = min(format[0], 10), min(format[1], 30), specials  # no logarithm is rounded up
        top = top_pattern(format)
        largest, after = exact(top, format), exact(top + 1, format)
        yield format, float(largest), float((largest + after) / 2)


@pytest.mark.exercise("round_to_format")
def test_overflow_in_ieee_formats(later, rng):
    """In "ieee" formats numbers at least half a step above the largest become infinity"""
    for format, largest, middle in around_the_top(rng, "ieee"):
        check_rounded(later, math.nextafter(middle, 0.0), format, largest)
        for value in (middle, 2.5 * largest, 1e300, math.inf):
            check_rounded(later, value, format, math.inf)
        check_rounded(later, middle, format[:2], math.inf)  # "ieee" is the default
        check_rounds(later, rng, format)


@pytest.mark.exercise("round_to_format")
def test_overflow_of_float64s_exponent(later, rng):
    """With 11 exponent bits too, what is half a step above the largest becomes infinity"""
    for mantissa_bits in (1, 10, 51, int(rng.integers(2, 51))):
        format = 11, mantissa_bits, "ieee"
        largest = float(exact(top_pattern(format), format))
        middle = largest + 2.0 ** (1022 - mantissa_bits)
        check_rounded(later, math.nextafter(middle, 0.0), format, largest)
        for value in (middle, math.nextafter(math.inf, 0.0), math.inf):
            check_rounded(later, value, format, math.inf)
        check_rounds(later, rng, format)


@pytest.mark.exercise("round_to_format")
def test_the_specials_say_what_overflow_gives(later, rng):
    """A number has its own rounding for each of the specials, in formats of every size"""
    for size in [(5, 10), (8, 7), (4, 3), (5, 2), narrowed(random_format(rng, "fn"), 50)[:2]]:
        largest = float(exact(top_pattern((*size, "ieee")), (*size, "ieee")))
        for value in (largest, 1.9 * largest, math.inf):
            for specials in rng.permutation(SPECIALS).tolist():
                expected = nearest(min(value, 4 * largest), (*size, specials))
                check_rounded(later, value, (*size, specials), expected)


@pytest.mark.exercise("round_to_format")
def test_overflow_in_fn_formats(later, rng):
    """In "fn" formats numbers more than half a step above the largest, and infinity, become nan"""
    for format, largest, middle in around_the_top(rng, "fn"):
        check_rounded(later, middle, format, largest)
        for value in (math.nextafter(middle, math.inf), 2.5 * largest, 1e300, math.inf):
            check_rounded(later, value, format, math.nan)
        check_rounds(later, rng, format)


@pytest.mark.exercise("round_to_format")
def test_overflow_in_finite_formats(later, rng):
    """In "finite" formats larger numbers, and infinity, become the largest value"""
    for format, largest, middle in around_the_top(rng, "finite"):
        for value in (middle, 2.5 * largest, 1e300, math.inf):
            check_rounded(later, value, format, largest)
        check_rounds(later, rng, format)


@pytest.mark.exercise("round_to_format")
def test_nan_stays_nan(later, rng):
    """nan stays nan, and is refused in "finite" formats"""
    for _ in range(10):
        for specials in ("ieee", "fn"):
            check_rounded(later, math.nan, random_format(rng, specials), math.nan)
        format = random_format(rng, "finite")
        later.floats.round_to_format(math.nan, *format).raises(ValueError)
        check_rounds(later, rng, format)


@pytest.mark.exercise("round_to_format")
def test_rounding_refuses_what_is_no_format(later, rng):
    """Too many or too few exponent or mantissa bits, or unknown specials, are refused"""
    for format in NO_FORMAT:
        later.floats.round_to_format(1.0, *format).raises(ValueError)
    for format in LIMITS:
        check_rounds(later, rng, format)


# --- float_range ------------------------------------------------------------


PARTS = ["max", "smallest_normal", "smallest_subnormal", "eps"]


def check_range(later, format, part, expected):
    def check(found):
        name = f"float_range{format}"
        expect(sorted(expect(found, name).is_a(dict)), f"the keys of {name}").equals(sorted(PARTS))
        same(found[part], float(expected), f"float_range{format}[{part!r}]")

    later.floats.float_range(*format).then(check)


def check_parts(later, format, *parts):
    """Compares these parts of the range, or all of them, with exact fractions."""
    one = ((1 << (format[0] - 1)) - 1) << format[1]  # the pattern of 1
    eps = exact(one + 1, format) - exact(one, format)
    numbers = [exact(pattern, format) for pattern in (top_pattern(format), 1 << format[1], 1)]
    for part, number in zip(PARTS, [*numbers, eps], strict=True):
        if part in (parts or PARTS):
            check_range(later, format, part, number)


@pytest.mark.exercise("float_range")
def test_ranges_of_torchs_formats(later, rng):
    """The ranges of fp16, bf16, fp32 and fp64 are those of torch; others are exact"""
    dtypes = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
    for format, dtype in zip(WIDE, dtypes, strict=True):
        for part in ("max", "smallest_normal", "eps"):
            check_range(later, format, part, getattr(torch.finfo(dtype), part))
        after_zero = torch.nextafter(torch.zeros((), dtype=dtype), torch.ones((), dtype=dtype))
        check_range(later, format, "smallest_subnormal", after_zero.item())
        check_parts(later, random_format(rng, "ieee"))


@pytest.mark.exercise("float_range")
def test_ranges_of_small_formats(later, rng):
    """The ranges of formats of 4, 6 and 8 bits are those of ml_dtypes; others are exact"""
    for i in rng.permutation(len(SMALL)):
        format, kind = list(SMALL.items())[i]
        for part in PARTS:
            check_range(later, format, part, getattr(ml_dtypes.finfo(kind), part))
        check_parts(later, random_format(rng))


@pytest.mark.exercise("float_range")
def test_largest_of_ieee_formats(later, rng):
    """The largest number of an "ieee" format is the last one before infinity"""
    for _ in range(30):
        format = random_format(rng, "ieee")
        check_parts(later, format, "max")
        check_range(later, format[:2], "max", exact(top_pattern(format), format))  # the default


@pytest.mark.exercise("float_range")
def test_largest_of_fn_formats(later, rng):
    """The largest number of an "fn" format is the last one before nan"""
    for _ in range(30):
        check_parts(later, random_format(rng, "fn"), "max")


@pytest.mark.exercise("float_range")
def test_largest_of_finite_formats(later, rng):
    """The largest number of a "finite" format has all exponent and mantissa bits set"""
    for _ in range(30):
        check_parts(later, random_format(rng, "finite"), "max")


@pytest.mark.exercise("float_range")
def test_smallest_numbers(later, rng):
    """The smallest normal and the smallest subnormal number are right in any format"""
    for _ in range(30):
        check_parts(later, random_format(rng), "smallest_normal", "smallest_subnormal")


@pytest.mark.exercise("float_range")
def test_eps(later, rng):
    """eps is the step from 1 to the next larger number, in any format"""
    for _ in range(30):
        check_parts(later, random_format(rng), "eps")


@pytest.mark.exercise("float_range")
def test_range_refuses_what_is_no_format(later, rng):
    """Too many or too few exponent or mantissa bits, or unknown specials, are refused"""
    for format in NO_FORMAT:
        later.floats.float_range(*format).raises(ValueError)
    for format in [*LIMITS, *(random_format(rng) for _ in range(6))]:
        check_parts(later, format)


# --- accumulate -------------------------------------------------------------

NUMPY = {
    torch.float64: np.float64,
    torch.float32: np.float32,
    torch.float16: np.float16,
    torch.bfloat16: ml_dtypes.bfloat16,
    torch.float8_e4m3fn: ml_dtypes.float8_e4m3fn,
    torch.float8_e5m2: ml_dtypes.float8_e5m2,
}


def added(term, count, term_dtype, accumulator_dtype):
    """The sum with numpy's scalars, which round after each addition."""
    kind = NUMPY[accumulator_dtype]
    with np.errstate(all="ignore"):
        rounded, total = kind(float(NUMPY[term_dtype](term))), kind(0)
        for _ in range(count):
            total = kind(total + rounded)
    return float(total)


def random_term(rng, largest=1.0):
    """A float32, so that rounding through float32 makes no difference."""
    return float(np.float32(rng.choice([-1, 1]) * rng.uniform(largest / 100, largest)))


def random_count(rng):
    return int(rng.integers(300, 700))


def check_sum(impl, *given):
    same(impl.floats.accumulate(*given), added(*given), f"accumulate{given}")


def check_many(impl, rng, *term_dtypes):
    """Compares sums of so many terms that most additions are rounded, and that bf16 stalls."""
    for dtype in term_dtypes or (torch.bfloat16,):
        for narrow in (torch.float16, torch.bfloat16):
            check_sum(impl, random_term(rng), random_count(rng), dtype, narrow)


@pytest.mark.exercise("accumulate", weight=2)
def test_sums_of_one_dtype(impl, rng):
    """The sum of `count` terms in each dtype is torch's, rounded to it after every addition"""
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        for _ in range(3):
            check_sum(impl, random_term(rng), random_count(rng), dtype, dtype)
    check_sum(impl, 0.1, 50, torch.float64, torch.float64)  # float32 does not have this term


@pytest.mark.exercise("accumulate")
def test_sums_in_a_wider_accumulator(impl, rng):
    """The term is rounded to its own dtype, the sum only to the accumulator's"""
    for narrow in (torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        for wide in (torch.float32, torch.float64):
            check_sum(impl, random_term(rng), int(rng.integers(100, 400)), narrow, wide)
    for _ in range(4):
        check_sum(impl, random_term(rng), 300, torch.float32, torch.float64)
    check_many(impl, rng, torch.float8_e4m3fn, torch.float8_e5m2)


@pytest.mark.exercise("accumulate")
def test_sums_in_a_narrower_accumulator(impl, rng):
    """The term is rounded to the accumulator's dtype before it is added"""
    for narrow in (torch.float16, torch.bfloat16):
        for wide in (torch.float32, torch.float64):
            for _ in range(3):
                check_sum(impl, random_term(rng), int(rng.integers(100, 400)), wide, narrow)
        # With 1.6 units in the last place of the accumulator, the third addition is a tie for the
        # rounded term, but not for the original term.
        unit = torch.finfo(narrow).eps
        for wide in (torch.float32, torch.float64):
            term = float(rng.choice([-1, 1]) * 2.0 ** rng.integers(-3, 4)) * (1 + 0.625 * unit)
            check_sum(impl, term, 3, wide, narrow)
    for _ in range(4):
        term = float(rng.uniform(0.01, 1))  # in float64
        check_sum(impl, term, int(rng.integers(100, 400)), torch.float64, torch.float32)


@pytest.mark.exercise("accumulate")
def test_a_sum_stops_growing(impl, rng):
    """A sum stalls once the term is too small for it, but not in a wider accumulator"""
    for dtype, bits in [(torch.float16, 11), (torch.bfloat16, 8)]:
        term = float(2.0 ** int(rng.integers(-3, 4)))
        count = 2**bits + int(rng.integers(1, 300))
        same(impl.floats.accumulate(term, count, dtype, dtype), term * 2**bits, "the sum")
        found = impl.floats.accumulate(term, count, dtype, torch.float32)
        same(found, term * count, "the sum in a wider accumulator")
    tiny = 2.0 ** -int(rng.integers(60, 90))  # relative to it, the sum does not stall
    same(impl.floats.accumulate(tiny, 5, torch.float64, torch.float64), 5 * tiny, "a tiny sum")


@pytest.mark.exercise("accumulate")
def test_few_additions(impl, rng):
    """Without additions the sum is 0; after one it is the rounded term"""
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        for wide in dict.fromkeys((dtype, torch.float64)):
            for count in (0, 1, 2):  # the third addition may have to round
                check_sum(impl, random_term(rng), count, dtype, wide)
            check_sum(impl, -0.0, 2, dtype, wide)  # 0 + -0 is 0
    subnormal = int(rng.integers(1, 512)) * 2 * 2.0**-24
    check_sum(impl, subnormal, 2, torch.float16, torch.float32)
    check_many(impl, rng)


@pytest.mark.exercise("accumulate")
def test_sums_overflow(impl, rng):
    """A sum that is too large for the accumulator becomes infinite, but not in a wider one"""
    for _ in range(5):
        term = random_term(rng, 4000.0)
        term = float(np.float32(math.copysign(abs(term) + 1000, term)))  # as random_term's are
        count = int(rng.integers(70, 100))
        check_sum(impl, term, count, torch.float16, torch.float16)
        check_sum(impl, term, count, torch.float16, torch.float32)
        check_sum(impl, term, count, torch.float32, torch.float16)
        check_many(impl, rng)


# --- quantize_block ---------------------------------------------------------

E2M1, E4M3 = (2, 1, "finite"), (4, 3, "fn")
KINDS = {"mxfp8": (E4M3, 448.0, 40), "nvfp4": (E2M1, 6.0, 20)}  # and more than a usual block
SCALES = {"mxfp8": (2.0**-127, 2.0**127), "nvfp4": (2.0**-9, 448.0)}


def check_block(later, values, kind, scale):
    """Compares elements with the nearest to value / scale, by bisection; and the scale."""
    element, most, _ = KINDS[kind]
    elements = [nearest(min(max(value / scale, -most), most), element) for value in values]
    later.floats.quantize_block(values, kind).equals((scale, elements))


def check_scale(later, values, kind, scale):
    """The scale alone: what becomes of the elements is another test's."""
    block = later.floats.quantize_block(values, kind)
    block.then(lambda found: expect(found[0], "the scale").equals(scale))


def sixth(largest):
    """NVFP4's scale for a block with this largest size, in its range."""
    return float(np.float64(largest / 6).astype(ml_dtypes.float8_e4m3fn))


def block(rng, kind, largest):
    """Values of which this is the one of the largest size, anywhere."""
    values = (rng.uniform(-1, 1, size=int(rng.integers(4, KINDS[kind][2]))) * largest).tolist()
    values[int(rng.integers(len(values)))] = largest
    return values


@pytest.mark.exercise("quantize_block")
def test_power_of_two_scales(later, rng):
    """MXFP8's scale is the largest power of two up to the largest number, divided by 2^8"""
    for i in range(20):
        exponent = int(rng.integers(-100, 100))
        largest = math.ldexp(float(rng.uniform(1.05, 1.95)) if i % 2 else 1.0, exponent)
        check_scale(later, block(rng, "mxfp8", largest), "mxfp8", math.ldexp(1.0, exponent - 8))


@pytest.mark.exercise("quantize_block")
def test_scales_of_few_bits(later, rng):
    """NVFP4's scale is a sixth of the largest number, rounded to E4M3, half-way cases to even"""
    for i in range(20):
        largest = float(2.0 ** rng.uniform(-6, 11))
        if i % 2:
            bits = int(rng.integers(1, top_pattern(E4M3)))
            largest = float(3 * (exact(bits, E4M3) + exact(bits + 1, E4M3)))
        check_scale(later, block(rng, "nvfp4", largest), "nvfp4", sixth(largest))


@pytest.mark.exercise("quantize_block")
def test_largest_number_may_be_negative(later, rng):
    """The number of the largest size chooses the scale, whatever its sign"""
    for _ in range(20):
        for kind, (_, most, _) in KINDS.items():
            scale = 2.0 ** int(rng.integers(-6, 6))
            check_block(later, block(rng, kind, -most * scale), kind, scale)


@pytest.mark.exercise("quantize_block")
def test_elements_are_rounded_after_the_division(later, rng):
    """Elements are the nearest to value / scale, as it was rounded, half-way cases the even one"""
    for _ in range(20):
        largest = float(2.0 ** rng.uniform(-3, 8))
        check_block(later, block(rng, "nvfp4", largest), "nvfp4", sixth(largest))
        for kind, (element, most, size) in KINDS.items():
            scale = 2.0 ** int(rng.integers(-6, 6))
            patterns = rng.integers(0, top_pattern(element), size=size - 1)
            halves = [
                exact(int(bits), element) + exact(int(bits) + 1, element) for bits in patterns
            ]
            values = [float(half / 2) * scale for half in halves]
            check_block(later, [*values, most * scale], kind, scale)


@pytest.mark.exercise("quantize_block")
def test_elements_end_at_the_largest(later, rng):
    """What is beyond the largest element becomes it"""
    for _ in range(20):
        scale = 2.0 ** int(rng.integers(-6, 6))
        largest = 512 * scale * float(rng.uniform(0.92, 0.99))
        check_block(later, [largest, *(-largest * rng.uniform(0, 1, 6)).tolist()], "mxfp8", scale)


@pytest.mark.exercise("quantize_block")
def test_ends_of_the_scales(later, rng):
    """A scale beyond its kind's range is the nearest one within it, also for a block of zeros"""
    for _ in range(5):
        for kind, (least, most) in SCALES.items():
            check_block(later, block(rng, kind, least * float(rng.uniform(0.1, 2))), kind, least)
            check_block(later, block(rng, kind, most * 1000 * float(rng.uniform(1, 9))), kind, most)
            check_block(later, [0.0] * int(rng.integers(1, 9)), kind, least)
