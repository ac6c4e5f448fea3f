"""Training: the loop, batches too large for memory, and gradients too large for a step.

A step is: clear the gradients, forward, backward, update. Everything here works with any model and
loss of torch, and with any optimizer whose step needs no closure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import torch

LossFn = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def train(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]],
    loss_fn: LossFn,
) -> list[float]:
    """Trains a model on each batch once, with one step per batch.

    Gradients that parameters already have, from an earlier step or from other code, are ignored, as
    if they were None. The model is put into training mode first, so that dropout is on, and stays
    in it. The next batch is not requested before the step of the current one is done. (The current
    one may still be in memory.)

    Args:
        model: maps a batch of inputs to outputs; one forward pass per batch.
        optimizer: holds all of the model's parameters, and may hold others, such as the loss's.
        batches: pairs of inputs and targets; any iterable, iterated over once.
        loss_fn: maps outputs and targets to a scalar tensor.

    Returns:
        The loss of each batch before its step, as floats; [] if there are no batches. No step's
        graph is kept in memory, as a list of losses with their graphs would do.
    """
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        losses.append(loss.detach().clone())  # `item()` would wait for the device in each step
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return [loss.item() for loss in losses]


def accumulate_gradients(
    model: torch.nn.Module,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    loss_fn: LossFn,
    micro_batch: int,
) -> float:
    """Adds the gradient of the whole batch to each parameter's gradient, one micro-batch at a time.

    Only one micro-batch's activations are in memory at a time, for example those of 16 of 64 rows:
    its backward pass comes before the next one's forward pass. Micro-batches are slices of
    `micro_batch` rows, in order; the last one has the rows that are left, and less weight if these
    are fewer.
    Existing gradients are kept and added to.

    Args:
        model: maps inputs to outputs, each row by itself. Its mode (train, eval) does not change.
        inputs: the whole batch; its first axis is the batch.
        targets: a row for each row of inputs.
        loss_fn: maps outputs and targets to a scalar tensor, the mean over their rows.
        micro_batch: rows at a time, at least 1; may be more than the batch has.

    Returns:
        The mean loss of the whole batch, up to its dtype's rounding.

    Raises:
        ValueError: `micro_batch` is less than 1, the batch is empty, or inputs and targets differ
            in length. No gradient has been changed.
    """
    rows = len(inputs)
    if micro_batch < 1:
        raise ValueError(f"expected micro-batches of at least 1 row, got {micro_batch}")
    if rows == 0:
        raise ValueError("expected at least one row, got an empty batch")
    if len(targets) != rows:
        raise ValueError(f"expected a target for each of {rows} rows, got {len(targets)}")
    losses = []
    for start in range(0, rows, micro_batch):
        x, y = inputs[start : start + micro_batch], targets[start : start + micro_batch]
        loss = loss_fn(model(x), y) * (len(x) / rows)
        loss.backward()  # type: ignore[no-untyped-call]
        losses.append(loss.detach())
    return sum(loss.item() for loss in losses)


def clip_grad_norm(parameters: Iterable[torch.nn.Parameter], max_norm: float) -> float:
    """Scales all gradients by one factor so that their norm is at most `max_norm`.

    The norm is that of all gradients as one long vector. If it is larger than `max_norm`, each
    gradient is multiplied in place by max_norm / norm, a Python float (torch's own function divides
    by norm + 1e-6). If not, no gradient changes,
    not even in its last bit. Squares of large fp16 and fp32 gradients overflow: the norm is
    computed in float64, in which they do not. A gradient in float64 is 0, inf, nan, or of a
    size from 1e-150 to 1e150, whose square is a float64.

    Args:
        parameters: different ones; may be a generator, such as `model.parameters()`; iterated over
            once. Parameters without a gradient are skipped.
        max_norm: more than 0, not nan; inf is no limit.

    Returns:
        The norm before clipping; 0.0 if there is no gradient.

    Raises:
        ValueError: `max_norm` is not more than 0.
        RuntimeError: the norm is infinite or not a number, so clipping would make every gradient 0
            or nan. No gradient has been changed.
    """
    if not max_norm > 0:
        raise ValueError(f"expected max_norm of more than 0, got {max_norm}")
    grads = [p.grad for p in parameters if p.grad is not None]
    squares = [grad.double().square().sum() for grad in grads]
    norm = torch.stack(squares).sum().sqrt().item() if squares else 0.0  # waits for the device once
    if not math.isfinite(norm):
        raise RuntimeError(f"expected gradients of a finite norm, got {norm}: skip this step")
    if norm > max_norm:
        for grad in grads:
            grad.mul_(max_norm / norm)
    return norm
