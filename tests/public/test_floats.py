"""Floats, with the lecture's own numbers."""

import math
import sys
from fractions import Fraction

import pytest
import torch

from assignment.expect import expect

E2M1 = 2, 1, "finite"
E4M3 = 4, 3, "fn"
E5M2 = 5, 2, "ieee"


NO_FORMATS = [  # outside the bounds that the module states
    *((1, 2, "ieee"), (12, 2, "ieee"), (11, 2, "fn"), (11, 2, "finite")),
    *((5, 0, "ieee"), (5, 53, "ieee"), (5, 2, "IEEE"), (5, 2, "none")),
]


@pytest.mark.exercise("decode_float")
def test_a_pattern_of_float32(impl):
    """The lecture's float32, 0 01111100 0100…0, is 0.15625"""
    bits = 0b0_01111100_01000000000000000000000
    expect(impl.floats.decode(bits, 8, 23, "ieee")).equals(
        0.15625, hint="the exponent is 124 - 127 = -3, the mantissa 1 + 1/4"
    )


@pytest.mark.exercise("decode_float")
def test_every_pattern_of_fp4(impl):
    """The sixteen patterns of E2M1 are ±0, 0.5, 1, 1.5, 2, 3, 4 and 6"""
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    for bits in range(16):
        value = -values[bits - 8] if bits >= 8 else values[bits]
        expect(impl.floats.decode(bits, *E2M1), f"pattern {bits:04b}").equals(
            value, hint="with exponent 0 there is no leading 1, and the exponent counts as 1"
        )
    expect(str(impl.floats.decode(0b1000, *E2M1)), "pattern 1000, as a text").equals(
        "-0.0", hint="a zero whose sign bit is set is -0.0; -1 * 0 is the int 0, without a sign"
    )


@pytest.mark.exercise("decode_float")
def test_the_top_of_the_8_bit_formats(impl):
    """E5M2 has infinities above 57344; E4M3 has one nan above 448, and no infinity"""
    expect(impl.floats.decode(0b0_11110_11, *E5M2)).equals(57344.0)
    expect(impl.floats.decode(0b1_11111_00, *E5M2)).equals(-math.inf)
    expect(math.isnan(impl.floats.decode(0b0_11111_01, *E5M2)), "is it nan").equals(True)
    expect(impl.floats.decode(0b0_1111_110, *E4M3)).equals(
        448.0, hint='"fn" has only one special pattern for each sign, which is nan'
    )
    expect(math.isnan(impl.floats.decode(0b0_1111_111, *E4M3)), "is it nan").equals(True)


@pytest.mark.exercise("decode_float")
def test_refuses_too_many_bits(impl):
    """A pattern of five bits is refused for E2M1, which has four"""
    expect(impl.floats.decode(0b1111, *E2M1)).equals(-6.0)
    with pytest.raises(ValueError):
        impl.floats.decode(0b10000, *E2M1)


@pytest.mark.exercise("decode_float")
def test_random_patterns_are_torchs(impl, rng):
    """Random patterns of five formats are the numbers that torch or Python reads in them"""
    for torch_dtype, as_int, format in [
        (torch.float16, torch.int16, (5, 10)),
        (torch.bfloat16, torch.int16, (8, 7)),
        (torch.float64, torch.int64, (11, 52)),
        (torch.float8_e4m3fn, torch.uint8, E4M3),
        (torch.float8_e5m2, torch.uint8, E5M2),
    ]:
        width = 1 + format[0] + format[1]
        top = 2**width - 1  # the sign and all others, as the last pattern has
        drawn = [int(n) for n in rng.integers(top >> 1, size=6)]
        for bits in [top, top >> 1, 1 << (width - 1), 1, *drawn]:
            signed = bits - 2**width if as_int is not torch.uint8 and bits >> (width - 1) else bits
            expected = torch.tensor([signed], dtype=as_int).view(torch_dtype).double().item()
            found = impl.floats.decode(bits, *format)
            if math.isnan(expected):
                assert isinstance(found, float), (
                    f"{bits:b} in {format}: expected nan, got {found!r}"
                )
                expect(math.isnan(found), f"is {bits:b} in {format} nan").equals(True)
            else:
                expect(found, f"{bits:b} in {format}").equals(expected)


@pytest.mark.exercise("decode_float")
def test_refuses_what_is_no_format(impl):
    """Formats outside the module's bounds, other specials, and 17 bits for fp16 are refused"""
    expect(impl.floats.decode(1, 2, 1, "finite")).equals(0.5)
    for format in [(5, 10, "fn"), (8, 23, "finite")]:  # of familiar sizes, without infinity
        bits = 2 ** format[0] - 1 << format[1]
        expect(impl.floats.decode(bits, *format), f"{bits:b} in {format}").equals(
            2.0 ** (2 ** (format[0] - 1))
        )
    for bits, format in [(1, form) for form in NO_FORMATS] + [(2**16, (5, 10))]:
        with pytest.raises(ValueError):
            impl.floats.decode(bits, *format)


@pytest.mark.exercise("round_to_format")
def test_what_underflows(impl):
    """1e-8 becomes 0 in fp16, and in bf16 a number within 0.4 % of it"""
    expect(impl.floats.round_to_format(1e-8, 5, 10, "ieee")).equals(0.0)
    expect(impl.floats.round_to_format(1e-8, 8, 7, "ieee")).close(
        1e-8, rtol=2**-8, hint="bf16 has 8 exponent bits, like float32"
    )


@pytest.mark.exercise("round_to_format")
def test_ties_go_to_even(impl):
    """Half-way between two values of E2M1, a number rounds to the even mantissa"""
    expect(impl.floats.round_to_format(1.5, *E2M1)).equals(
        1.5, hint="1.5 is in the format: its steps are 0.5 wide from 1 to 2. math.frexp gives k + 1"
    )
    ties = {2.5: 2.0, 3.5: 4.0, 5.0: 4.0, 1.25: 1.0, 1.75: 2.0, 0.25: 0.0}
    for value, rounded in ties.items():
        expect(impl.floats.round_to_format(value, *E2M1), f"{value} in E2M1").equals(
            rounded,
            hint="even means that the mantissa's last bit is 0, as for 1, 2 and 4, but not for 3",
        )


@pytest.mark.exercise("round_to_format")
def test_overflow(impl):
    """What still rounds to the largest number stays; fp16 has infinity above, E4M3 nan, E2M1 6"""
    expect(impl.floats.round_to_format(65519.0, 5, 10, "ieee")).equals(
        65504.0, hint="round first, then look whether the result is too large"
    )
    expect(impl.floats.round_to_format(65520.0, 5, 10, "ieee")).equals(
        math.inf, hint="65520 is half-way between 65504 and 65536, which would be the next value"
    )
    expect(impl.floats.round_to_format(464.0, *E4M3)).equals(448.0)
    expect(math.isnan(impl.floats.round_to_format(465.0, *E4M3)), "is it nan").equals(True)
    expect(impl.floats.round_to_format(-100.0, *E2M1)).equals(-6.0)


@pytest.mark.exercise("round_to_format")
def test_rounds_random_numbers_once(impl, rng):
    """Any float64 rounds to the nearest value, once, down to the smallest subnormal number"""
    for exponent_bits, mantissa_bits in [(5, 10), (8, 7), (8, 23), (4, 6)]:
        lowest = 2 - 2 ** (exponent_bits - 1) - mantissa_bits  # of the smallest number's exponent
        for _ in range(8):
            exponent = int(rng.integers(lowest - 2, 2 ** (exponent_bits - 1) - 1))
            value = math.ldexp(float(rng.uniform(1, 2)), exponent)
            spacing = Fraction(2) ** max(exponent - mantissa_bits, lowest)
            for number in (value, -value, math.nextafter(2.0**exponent, 0)):
                expected = float(round(Fraction(number) / spacing) * spacing)
                found = impl.floats.round_to_format(number, exponent_bits, mantissa_bits)
                what = f"{number!r} in {(exponent_bits, mantissa_bits)}"
                expect(found, what).equals(expected if number > 0 or expected else -0.0)
                expect(math.copysign(1, found), f"sign of {what}").equals(math.copysign(1, number))
    halfway = 1 + 2**-11 + 2**-40  # float32 loses the last term, and then it is a tie
    expect(impl.floats.round_to_format(halfway, 5, 10)).equals(
        1 + 2**-10, hint="round once, and not to float32 first"
    )


@pytest.mark.exercise("round_to_format")
def test_infinity_nan_and_whole_numbers(impl):
    """Infinity and nan become what the format has for them, and an int becomes a float"""
    inf, nan = math.inf, math.nan
    for value, format, expected in [
        *((inf, (5, 10), inf), (-inf, E5M2, -inf), (-inf, E2M1, -6.0), (nan, (5, 10), nan)),
        *((inf, E4M3, nan), (nan, E4M3, nan), (3, (5, 10), 3.0), (2**70, (11, 52), 2.0**70)),
        (math.nextafter(2.0**40, 0), (11, 52), math.nextafter(2.0**40, 0)),
        *((sys.float_info.max, (11, 8), inf), (sys.float_info.max, (10, 8, "finite"), None)),
    ]:
        found = impl.floats.round_to_format(value, *format)
        expect(found, f"{value} in {format}").is_a(float)
        if expected is not None and math.isnan(expected):
            expect(math.isnan(found), f"is {value} in {format} nan").equals(True)
        elif expected is not None:
            expect(found, f"{value} in {format}").equals(expected)
    with pytest.raises(ValueError):
        impl.floats.round_to_format(nan, *E2M1)
    for format in NO_FORMATS:
        with pytest.raises(ValueError):
            impl.floats.round_to_format(1.0, *format)


@pytest.mark.exercise("float_range")
def test_the_usual_formats(impl):
    """max and eps: fp16 65504 and 2^-10, bf16 3.3895e38 and 2^-7, fp32 3.4028e38 and 2^-23"""
    for name, format, largest, eps in [
        ("fp16", (5, 10), 65504.0, 2.0**-10),
        ("bf16", (8, 7), 3.3895e38, 2.0**-7),
        ("fp32", (8, 23), 3.4028e38, 2.0**-23),
    ]:
        found = impl.floats.float_range(*format, "ieee")
        expect(found["max"], f"max of {name}").close(
            largest,
            rtol=1e-5,
            hint="the exponent with all bits set is reserved for infinity and nan",
        )
        expect(found["eps"], f"eps of {name}").equals(eps)


@pytest.mark.exercise("float_range")
def test_the_8_bit_formats(impl):
    """The largest value is 448 in E4M3, 57344 in E5M2 and 6 in E2M1"""
    for format, largest in [(E4M3, 448.0), (E5M2, 57344.0), (E2M1, 6.0)]:
        expect(impl.floats.float_range(*format)["max"], f"max of {format}").equals(largest)


@pytest.mark.exercise("float_range")
def test_the_small_end_of_fp16(impl):
    """fp16's smallest normal number is 2^-14, its smallest subnormal number 2^-24"""
    found = impl.floats.float_range(5, 10, "ieee")
    expect(found["smallest_normal"]).equals(2.0**-14)
    expect(found["smallest_subnormal"]).equals(
        2.0**-24, hint="only the lowest bit of the mantissa is set"
    )


@pytest.mark.exercise("float_range")
def test_every_range_is_a_dict_of_its_own(impl):
    """All four numbers are floats, in a new dict each time; what is no format is refused"""
    smallest = {"smallest_normal": 2.0**-14, "smallest_subnormal": 2.0**-16}
    for _ in range(2):
        found = impl.floats.float_range(*E5M2)
        expect(found).equals({"max": 57344.0, **smallest, "eps": 0.25})
    for format in NO_FORMATS:
        with pytest.raises(ValueError):
            impl.floats.float_range(*format)


@pytest.mark.exercise("accumulate")
def test_a_hundredth_a_thousand_times(impl):
    """0.01 added 1000 times gives 10.0001 in fp32 and 9.9531 in fp16"""
    for dtype, total in [(torch.float32, 10.0001), (torch.float16, 9.9531)]:
        expect(impl.floats.accumulate(0.01, 1000, dtype, dtype), f"the sum in {dtype}").close(
            total,
            rtol=0.0,
            atol=5e-5,
            hint="round after each of the 1000 additions, of which the first is 0 + 0.01",
        )


@pytest.mark.exercise("accumulate")
def test_a_wider_accumulator(impl):
    """1000 terms of 0.01 in fp16, added in fp32, give 10.0021"""
    expect(impl.floats.accumulate(0.01, 1000, torch.float16, torch.float32)).close(
        10.0021, rtol=0.0, atol=5e-5, hint="0.01 in fp16 is 0.010002, and does not change in fp32"
    )


@pytest.mark.exercise("accumulate")
def test_a_sum_that_stands_still(impl):
    """In bf16 a sum of terms of 0.01 stops at 4; without terms it is 0"""
    expect(impl.floats.accumulate(0.01, 1000, torch.bfloat16, torch.bfloat16)).equals(4.0)
    expect(impl.floats.accumulate(0.01, 0, torch.bfloat16, torch.bfloat16)).equals(0.0)


@pytest.mark.exercise("accumulate")
def test_random_sums_are_torchs(impl, rng):
    """Each sum is torch's: all terms are added, subnormal ones too, and rounded once each time"""
    terms = [torch.float64, torch.float32, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2]
    sums = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
    for i, term_dtype in enumerate(terms * 2):
        term, count = float(rng.uniform(0.01, 0.1)), int(rng.integers(2, 300))
        term = term * 1e-6 if i == 2 else term  # a subnormal number of fp16
        rounded, total = torch.tensor(term, dtype=term_dtype), torch.zeros((), dtype=sums[i % 4])
        for _ in range(count):
            total = total + rounded.to(total.dtype)
        arguments = (term, count, term_dtype, total.dtype)
        expect(impl.floats.accumulate(*arguments), f"accumulate{arguments}").equals(total.item())
    tiny = 1e-14
    expect(impl.floats.accumulate(tiny, 64, torch.float64, torch.float64)).close(64e-14, rtol=1e-9)


@pytest.mark.exercise("quantize_block")
def test_two_blocks_by_hand(impl):
    """NVFP4 stores 12, 1.2, -3 as 2 · (6, 0.5, -1.5); MXFP8 stores 1000, 1.7 as 2 · (448, 0.875)"""
    expect(impl.floats.quantize_block([12.0, 1.2, -3.0], "nvfp4")).equals(
        (2.0, [6.0, 0.5, -1.5]),
        hint="12 becomes 6, the largest element; 1.2 becomes 0.6, and 0.5 is nearest",
    )
    expect(impl.floats.quantize_block([1000.0, 1.7], "mxfp8")).equals(
        (2.0, [448.0, 0.875]), hint="512 is the largest power of two up to 1000; 500 is over 448"
    )


@pytest.mark.exercise("quantize_block")
def test_random_blocks(impl, rng):
    """The largest number, of either sign, chooses the scale; elements are the nearest, or even"""
    expect(impl.floats.quantize_block([6.0, 2.5, -5.0], "nvfp4")).equals(
        (1.0, [6.0, 2.0, -4.0]), hint="half-way cases go to the even mantissa"
    )
    for kind, size in [("mxfp8", 32), ("nvfp4", 16)] * 6:
        values = (rng.standard_normal(size) * 2.0 ** rng.integers(-4, 8)).tolist()
        largest = max(map(abs, values))
        scale, elements = impl.floats.quantize_block(values, kind)
        what = f"the scale in {kind} of a block with the largest absolute value {largest:.6g}"
        if kind == "mxfp8":
            patterns = torch.arange(127, dtype=torch.uint8)  # the next one is nan
            positive = patterns.view(torch.float8_e4m3fn).double().tolist()
            expect(scale, what).equals(2.0 ** (math.floor(math.log2(largest)) - 8))
        else:
            positive = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
            expect(scale, what).equals(torch.tensor(largest / 6).to(torch.float8_e4m3fn).item())
        for value, element in zip(values, elements, strict=True):
            nearest = min(positive, key=lambda x: abs(x - abs(value) / scale))
            what = f"the element of {value:.6g} / {scale:g} = {value / scale:.6g} in {kind}"
            expect(element, what).equals(math.copysign(nearest, value))


@pytest.mark.exercise("quantize_block")
def test_scales_have_ends(impl):
    """A block of zeros or tiny numbers has the smallest scale, and one of huge ones the largest"""
    for kind, least, most, top in [
        ("mxfp8", 2.0**-127, 2.0**127, 448.0),
        ("nvfp4", 2.0**-9, 448.0, 6.0),
    ]:
        expect(impl.floats.quantize_block([0.0, 0.0], kind)).equals((least, [0.0, 0.0]))
        huge = [-(2.0**140), 0.0]
        expect(impl.floats.quantize_block(huge, kind)).equals((most, [-top, 0.0]))
        tiny = 2.0**-9 if kind == "nvfp4" else 2.0**-130
        expect(impl.floats.quantize_block([tiny], kind)).equals((least, [tiny / least]))
