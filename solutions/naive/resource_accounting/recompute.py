"""Correct but takes much memory: keeps all activations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch


def best_segments(layers: int) -> int:
    return 1


def checkpointed_forward(
    layers: Sequence[Callable[[torch.Tensor], torch.Tensor]], x: torch.Tensor, segments: int
) -> torch.Tensor:
    for layer in layers:
        x = layer(x)
    return x
