"""Correct but slow: all products in float32, one tensor at a time, all scores in memory."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from assignment.programs.naive import causal_attention, matmul_chain

__all__ = ["adamw_update", "causal_attention", "matmul_chain", "training_step"]


def training_step(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, tokens: torch.Tensor
) -> None:
    optimizer.zero_grad()
    logits = model(tokens[:, :-1])
    loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    loss.item()
    optimizer.step()


def adamw_update(
    params: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    exp_avgs: Sequence[torch.Tensor],
    exp_avg_sqs: Sequence[torch.Tensor],
    *,
    step: int,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
) -> None:
    first, second = betas
    for p, grad, exp_avg, exp_avg_sq in zip(params, grads, exp_avgs, exp_avg_sqs, strict=True):
        p.mul_(1 - lr * weight_decay)
        exp_avg.mul_(first).add_(grad, alpha=1 - first)
        exp_avg_sq.mul_(second).addcmul_(grad, grad, value=1 - second)
        average = exp_avg / (1 - first**step)
        square = exp_avg_sq / (1 - second**step)
        p.sub_(lr * average / (square.sqrt() + eps))
