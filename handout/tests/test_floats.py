"""Floats, with the lecture's own numbers."""

import math

import pytest
import torch

from assignment.expect import expect

E2M1 = 2, 1, "finite"
E4M3 = 4, 3, "fn"
E5M2 = 5, 2, "ieee"


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
    for sign, half in [(1.0, range(8)), (-1.0, range(8, 16))]:
        found = [impl.floats.decode(bits, *E2M1) for bits in half]
        expect(found, f"patterns {half.start} to {half.stop - 1}").equals(
            [sign * value for value in values],
            hint="exponent 0 has no leading 1: 0.5 is a subnormal number",
        )
    zero = impl.floats.decode(0b1000, *E2M1)
    expect(math.copysign(1.0, zero), "the sign of pattern 1000").equals(-1.0)


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


@pytest.mark.exercise("round_to_format")
def test_what_underflows(impl):
    """1e-8 is 0 in fp16 and not in bf16"""
    expect(impl.floats.round_to_format(1e-8, 5, 10, "ieee")).equals(0.0)
    expect(impl.floats.round_to_format(1e-8, 8, 7, "ieee")).close(
        1e-8, rtol=2**-8, hint="bf16 has 8 exponent bits, like float32"
    )


@pytest.mark.exercise("round_to_format")
def test_ties_go_to_even(impl):
    """Half-way between two values of E2M1, a number rounds to the even mantissa"""
    for value, rounded in [
        (2.5, 2.0),
        (3.5, 4.0),
        (5.0, 4.0),
        (1.25, 1.0),
        (1.75, 2.0),
        (0.25, 0.0),
    ]:
        expect(impl.floats.round_to_format(value, *E2M1), f"{value} in E2M1").equals(
            rounded,
            hint="even means that the mantissa's last bit is 0, as for 1, 2 and 4, but not for 3",
        )


@pytest.mark.exercise("round_to_format")
def test_overflow(impl):
    """Numbers that are too large become infinity in fp16, nan in E4M3 and 6 in E2M1"""
    expect(impl.floats.round_to_format(65519.0, 5, 10, "ieee")).equals(65504.0)
    expect(impl.floats.round_to_format(65520.0, 5, 10, "ieee")).equals(
        math.inf, hint="65520 is half-way between 65504 and 65536, which would be the next value"
    )
    expect(impl.floats.round_to_format(464.0, *E4M3)).equals(448.0)
    expect(math.isnan(impl.floats.round_to_format(465.0, *E4M3)), "is it nan").equals(True)
    expect(impl.floats.round_to_format(-100.0, *E2M1)).equals(-6.0)


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


@pytest.mark.exercise("accumulate")
def test_a_hundredth_a_thousand_times(impl):
    """0.01 added 1000 times gives 10.0001 in fp32 and 9.9531 in fp16"""
    for dtype, total in [(torch.float32, 10.0001), (torch.float16, 9.9531)]:
        expect(impl.floats.accumulate(0.01, 1000, dtype, dtype), f"the sum in {dtype}").close(
            total, rtol=0.0, atol=5e-5, hint="round after each addition, not only at the end"
        )


@pytest.mark.exercise("accumulate")
def test_a_wider_accumulator(impl):
    """1000 terms of 0.01 in fp16, added in fp32, give 10.0021"""
    expect(impl.floats.accumulate(0.01, 1000, torch.float16, torch.float32)).close(
        10.0021, rtol=0.0, atol=5e-5, hint="0.01 in fp16 is 0.010002, and does not change in fp32"
    )


@pytest.mark.exercise("accumulate")
def test_a_sum_that_stands_still(impl):
    """In bf16 a sum of terms of 0.01 stops at 4; a negative count is refused"""
    expect(impl.floats.accumulate(0.01, 1000, torch.bfloat16, torch.bfloat16)).equals(4.0)
    expect(impl.floats.accumulate(0.01, 0, torch.bfloat16, torch.bfloat16)).equals(0.0)
    with pytest.raises(ValueError):
        impl.floats.accumulate(0.01, -1, torch.bfloat16, torch.bfloat16)
