"""Training: the loop, gradient accumulation, clipping."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch


def train(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]],
    loss_fn: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> list[float]:
    """x"""
    raise NotImplementedError


def accumulate_gradients(
    model: torch.nn.Module,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    loss_fn: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    micro_batch: int,
) -> float:
    """x"""
    raise NotImplementedError


def clip_grad_norm(parameters: Iterable[torch.nn.Parameter], max_norm: float) -> float:
    """x"""
    raise NotImplementedError
