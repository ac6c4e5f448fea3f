"""Budget: will it fit?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch


def bytes_per_parameter(recipe: Mapping[str, Sequence[torch.dtype]]) -> int:
    """x"""
    raise NotImplementedError


def training_state(parameters: int, recipe: Mapping[str, Sequence[torch.dtype]]) -> dict[str, int]:
    """x"""
    raise NotImplementedError


def largest_model(
    devices: int, device_bytes: int, recipe: Mapping[str, Sequence[torch.dtype]]
) -> int:
    """x"""
    raise NotImplementedError


def zero_bytes(
    parameters: int, devices: int, stage: int, recipe: Mapping[str, Sequence[torch.dtype]]
) -> int:
    """x"""
    raise NotImplementedError


def activation_bytes(batch: int, width: int, layers: int, dtype: torch.dtype) -> int:
    """x"""
    raise NotImplementedError


def micro_batch_size(batch: int, width: int, layers: int, dtype: torch.dtype, budget: int) -> int:
    """x"""
    raise NotImplementedError


def checkpointing_cost(layers: int, stored: Sequence[int], keep_segment: bool) -> dict[str, int]:
    """x"""
    raise NotImplementedError
