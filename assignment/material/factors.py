"""Comparison up to one factor, for checks whose rule is not what decides about that factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assignment.expect import expect


def common_factor(
    found: Any,
    expected: Sequence[torch.Tensor],
    what: str,
    *,
    rtol: float = 1e-10,
    atol: float = 1e-10,
) -> float:
    """The positive factor between tensors and the expected ones; 1.0 if all of these are 0.

    A sum instead of a mean, or a missing half, has checks of its own, so that such a mistake costs
    no others.
    """
    expect(isinstance(found, list | tuple), f"{what} are a list").equals(True)
    expect(len(found), f"the number of {what}").equals(len(expected))
    pairs = zip(found, expected, strict=True)
    tensors = [expect(one, what).is_tensor(tuple(like.shape), like.dtype) for one, like in pairs]
    flat, wanted = (torch.cat([t.flatten().double() for t in of]) for of in (tensors, expected))
    square = float(wanted @ wanted)
    factor = float(flat @ wanted) / square if square else 1.0
    atol *= max(abs(factor), 1e-300)
    expect(found, what).close([factor * like for like in expected], rtol=rtol, atol=atol)
    expect(factor > 0, f"{what} have the right sign").equals(True)
    return factor
