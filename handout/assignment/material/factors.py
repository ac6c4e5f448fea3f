"""The one factor by which several tensors differ from others."""

from __future__ import annotations

import math
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
    """The factor between tensors and the expected ones; 1.0 if all of these are 0.

    Raises:
        Mismatch: there is none that is positive and finite, or shapes or dtypes differ.
    """
    found = list(found) if isinstance(found, tuple) else expect(found, what).is_a(list)
    expect(len(found), f"the number of {what}").equals(len(expected))
    pairs = zip(found, expected, strict=True)
    tensors = [expect(one, what).is_tensor(tuple(like.shape), like.dtype) for one, like in pairs]
    flat, wanted = (torch.cat([t.flatten().double() for t in of]) for of in (tensors, expected))
    square = float(wanted @ wanted)
    factor = float(flat @ wanted) / square if square else 1.0
    if not (math.isfinite(factor) and factor > 0):
        expect(found, what).close(expected, rtol=rtol, atol=atol)
    scaled = [factor * like for like in expected]
    expect(found, what).close(scaled, rtol=rtol, atol=atol * abs(factor))
    return factor
