"""Initialization: a scale that survives depth."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float


def xavier_uniform(d_in: int, d_out: int, seed: int) -> Float[torch.Tensor, "d_in d_out"]:
    """x"""
    raise NotImplementedError


def kaiming_normal(d_in: int, d_out: int, seed: int) -> Float[torch.Tensor, "d_in d_out"]:
    """x"""
    raise NotImplementedError


def truncated_normal(
    shape: Sequence[int], std: float, low: float, high: float, seed: int
) -> Float[torch.Tensor, ...]:
    """x"""
    raise NotImplementedError
