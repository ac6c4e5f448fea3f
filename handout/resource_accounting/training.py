"""Training: the loop, batches too large for memory, and gradients too large for a step.

A step is: gradients to nothing, forward, backward, update. Everything here works with any model,
optimizer and loss of torch.
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
    """Trains a model on each batch once, with one step for each.

    Gradients that a parameter holds already, of an earlier step or of whatever came before, do not
    count. The model is put into training mode first, so that dropout is on. One batch is in memory
    at a time: the next one is not asked for before the last one's step is done.

    Args:
        model: maps a batch of inputs to outputs, in one forward pass a batch.
        optimizer: over the model's parameters.
        batches: pairs of inputs and targets; any iterable, which is gone through once.
        loss_fn: maps outputs and targets to a scalar tensor.

    Returns:
        The loss of each batch, before its step, as floats: a list of tensors would keep every
        step's graph in memory. [] if there are no batches.
    """
    raise NotImplementedError(
        "train_loop: not started; see assignment/writeup/training.md, or make hint EX=train_loop"
    )


def accumulate_gradients(
    model: torch.nn.Module,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    loss_fn: LossFn,
    micro_batch: int,
) -> float:
    """Adds to each parameter's gradient what the whole batch gives, a micro-batch at a time.

    Activations of one micro-batch are in memory at a time, those of 16 rows where the batch has
    64: its backward pass comes before the next one's forward pass. Micro-batches are slices in
    order; the last one is smaller if `micro_batch` does not divide the batch, and then counts for
    less. Gradients that are there already stay and are added to; no step is taken.

    Args:
        model: maps inputs to outputs, each row by itself.
        inputs: the whole batch; its first axis is the batch.
        targets: a row for each row of inputs.
        loss_fn: maps outputs and targets to a scalar tensor, the mean over their rows.
        micro_batch: rows at a time, at least 1; may be more than there are.

    Returns:
        The mean loss of the whole batch.

    Raises:
        ValueError: `micro_batch` is less than 1, the batch is empty, or inputs and targets differ
            in length. No gradient has changed then.
    """
    raise NotImplementedError(
        "accumulate_gradients: not started; see assignment/writeup/training.md, "
        "or make hint EX=accumulate_gradients"
    )


def clip_grad_norm(parameters: Iterable[torch.nn.Parameter], max_norm: float) -> float:
    """Scales all gradients by one factor so that their norm is at most `max_norm`.

    The norm is that of all gradients as one long vector. Where it is larger, each gradient is
    multiplied in place by max_norm / norm. Where it is not, they stay as they are, to the bit.
    Squares of large fp16 and fp32 gradients overflow: the norm is computed in float64.

    Args:
        parameters: may be a generator, such as `model.parameters()`; gone through once. Those
            without a gradient are skipped.
        max_norm: more than 0.

    Returns:
        The norm before clipping; 0.0 if there is no gradient.

    Raises:
        ValueError: `max_norm` is not more than 0.
        RuntimeError: the norm is infinite or not a number. Clipping would make every gradient 0 or
            nan. No gradient has changed then.
    """
    raise NotImplementedError(
        "clip_grad_norm: not started; see assignment/writeup/training.md, "
        "or make hint EX=clip_grad_norm"
    )
