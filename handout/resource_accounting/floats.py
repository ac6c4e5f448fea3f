"""Floats: what a pattern of bits means, and what a number becomes in few of them."""

from __future__ import annotations

import torch


def decode(bits: int, exponent_bits: int, mantissa_bits: int, specials: str = "ieee") -> float:
    """The value of a bit pattern."""
    raise NotImplementedError(
        "decode_float: not started; see assignment/writeup/floats.md, or make hint EX=decode_float"
    )


def round_to_format(
    value: float, exponent_bits: int, mantissa_bits: int, specials: str = "ieee"
) -> float:
    """The nearest value of a format, ties to even."""
    raise NotImplementedError(
        "round_to_format: not started; see assignment/writeup/floats.md, "
        "or make hint EX=round_to_format"
    )


def float_range(exponent_bits: int, mantissa_bits: int, specials: str = "ieee") -> dict[str, float]:
    """max, smallest_normal, smallest_subnormal and eps of a format."""
    raise NotImplementedError(
        "float_range: not started; see assignment/writeup/floats.md, or make hint EX=float_range"
    )


def accumulate(
    term: float, count: int, term_dtype: torch.dtype, accumulator_dtype: torch.dtype
) -> float:
    """Adds one term count times, rounding after each addition."""
    raise NotImplementedError(
        "accumulate: not started; see assignment/writeup/floats.md, or make hint EX=accumulate"
    )
