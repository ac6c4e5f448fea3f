"""Device: timing properly, measured MFU, batches that are there when they are needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

import torch


def time_function(
    function: Callable[[], object],
    *,
    warmup: int = 2,
    repeats: int = 5,
    synchronize: Callable[[], object] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """x"""
    raise NotImplementedError


def measured_mfu(flops: float, seconds: list[float], peak_flops: float) -> float:
    """x"""
    raise NotImplementedError


def prefetch(
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]], device: torch.device
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """x"""
    raise NotImplementedError
