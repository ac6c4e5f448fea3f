"""Scenarios that touch no code of the student's: what crossing the boundary costs."""

from __future__ import annotations

import functools
from typing import Any

import torch

from assignment.scenarios import scenario


@scenario
def size_of(student: Any, tensor: torch.Tensor) -> int:
    """The bytes of a tensor that came in."""
    return tensor.nbytes


@scenario
def ones_of(student: Any, size: int) -> torch.Tensor:
    """A tensor of `size` bytes, to send out."""
    return _ones(size // 4)


@functools.cache
def _ones(length: int) -> torch.Tensor:
    """Made once, so that only its journey is measured."""
    return torch.ones(length)
