"""Mixed precision: the training loop in bf16, and in fp16 with loss scaling.

Matrix products run in 16 bits, chosen by `torch.autocast`; parameters, gradients and the
optimizer's state stay in float32, so that an update much smaller than its parameter is kept. Before
each backward pass, the gradients of the optimizer's parameters are cleared to None. nan is outside
every range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import torch

Batch = tuple[torch.Tensor, torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def train_bf16(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[Batch],
    loss_fn: Loss,
) -> list[float]:
    """Trains one step per batch, with the forward pass in bf16.

    For each (inputs, targets): `loss_fn(model(inputs), targets)` runs under
    `torch.autocast(device_type, dtype=torch.bfloat16)`, where device_type is that of the inputs'
    device; the backward pass runs outside it, on cleared gradients; then the optimizer steps.

    Autocast caches its 16-bit copies of the weights until its context ends: enter it anew for each
    batch.

    Args:
        model: its parameters are in float32 and stay so. Its mode (train, eval) does not change.
        optimizer: holds all of the model's parameters.
        batches: pairs of inputs and targets; read once, from first to last, and may be empty.
        loss_fn: takes the model's output and the targets; returns a scalar tensor.

    Returns:
        The loss of each batch before its step, as computed under autocast: in float32 for the
        losses of `torch.nn.functional`, whatever the dtype of the model's output.
    """
    raise NotImplementedError(
        "bf16_train: not started; see assignment/writeup/precision.md, or make hint EX=bf16_train"
    )


def train_fp16(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[Batch],
    loss_fn: Loss,
    *,
    init_scale: float,
    growth_interval: int,
    growth_factor: float = 2.0,
    backoff_factor: float = 0.5,
    max_norm: float | None = None,
) -> tuple[list[float], list[float]]:
    """Trains one step per batch, with the forward pass in fp16 and a dynamic loss scale.

    fp16 cannot hold numbers above 65504 and rounds 1e-8 to 0. So the loss is multiplied by a scale
    before the backward pass, and the gradients are divided by it afterwards. For each (inputs,
    targets):

    1. the forward pass and the loss, as in `train_bf16` but in `torch.float16`
    2. the backward pass of loss · scale, on cleared gradients
    3. the gradients of the optimizer's parameters are divided by the scale, once; None is skipped
    4. if any element of these gradients is inf or nan, the step is skipped: parameters and
       optimizer state do not change at all; the scale is multiplied by `backoff_factor`
    5. otherwise the gradients are clipped, if `max_norm` is given, and the optimizer steps. After
       `growth_interval` steps in a row at one scale, the scale is multiplied by `growth_factor`,
       and the count restarts. A skipped step also restarts the count

    These are the rules of `torch.amp.GradScaler`, which you may use.

    Args:
        model, optimizer, batches, loss_fn: as in `train_bf16`; the optimizer may hold other
            parameters too, such as the loss's. Each batch gives a gradient to at least one.
        init_scale: the scale of the first batch, greater than 0 and finite.
        growth_interval: steps without inf or nan after which the scale grows, at least 1.
        growth_factor: greater than 1 and finite.
        backoff_factor: greater than 0 and less than 1.
        max_norm: greater than 0. If given, and if the L2 norm of all unscaled gradients together is
            above it, the gradients are multiplied by `max_norm / norm`, or clipped by
            `torch.nn.utils.clip_grad_norm_`, which adds 1e-6 to the norm.

    Returns:
        Two lists with a number for each batch, skipped or not: its unscaled loss, even if it is inf
        or nan, and the scale that its loss was multiplied by, which may be kept in float32. So the
        first scale is `init_scale`.

    Raises:
        ValueError: a setting is out of range. No batch has been read.
    """
    raise NotImplementedError(
        "fp16_train: not started; see assignment/writeup/precision.md, or make hint EX=fp16_train"
    )
