"""Drives the mixed-precision loops on a small two-layer model with given weights.

The dtypes reported here are hints for people. The tests judge the values: losses, scales, and how
far each parameter moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.nn import functional

from assignment.scenarios import scenario

Batch = tuple[torch.Tensor, torch.Tensor]


class SmallModel(torch.nn.Module):
    """Linear, ReLU, Linear, with the given weights. With one weight, a linear layer without bias.

    `unused` adds a parameter that does not affect the loss.
    """

    def __init__(self, weights: Sequence[torch.Tensor], unused: bool = False) -> None:
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(w.clone()) for w in weights])
        self.unused = torch.nn.Parameter(torch.ones(3)) if unused else None
        self.output_dtype: torch.dtype | None = None

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        if len(self.weights) == 1:
            outputs = functional.linear(inputs, self.weights[0])
        else:
            w1, b1, w2, b2 = self.weights
            outputs = functional.linear(functional.linear(inputs, w1, b1).relu(), w2, b2)
        self.output_dtype = outputs.dtype
        return outputs


@scenario
def bf16_run(
    student: Any,
    weights: Sequence[torch.Tensor],
    batches: Iterable[Batch],
    *,
    optimizer: str = "SGD",
    settings: dict[str, Any],
    loss: str = "mse_loss",
    unused: bool = False,
    stale: float | None = None,
) -> dict[str, Any]:
    """Trains the model by `train_bf16`.

    `optimizer` and `settings` are those of torch.optim, `loss` is one of torch.nn.functional, and
    `stale` is the value of all gradients before.
    """
    model = SmallModel(weights, unused)
    _fill_gradients(model, stale)
    made = getattr(torch.optim, optimizer)(model.parameters(), **settings)
    dtypes = _watch_gradients(made)
    losses = student.precision.train_bf16(model, made, _once(batches), _loss(loss, 1.0))
    return _report(model, made, dtypes, losses)


@scenario
def fp16_run(
    student: Any,
    weights: Sequence[torch.Tensor],
    batches: Iterable[Batch],
    *,
    optimizer: str = "SGD",
    settings: dict[str, Any],
    loss: str = "mse_loss",
    loss_weight: float = 1.0,
    unused: bool = False,
    stale: float | None = None,
    **scaling: Any,
) -> dict[str, Any]:
    """Trains the model by `train_fp16`, with the loss multiplied by `loss_weight`."""
    model = SmallModel(weights, unused)
    _fill_gradients(model, stale)
    made = getattr(torch.optim, optimizer)(model.parameters(), **settings)
    dtypes = _watch_gradients(made)
    losses, scales = student.precision.train_fp16(
        model, made, _once(batches), _loss(loss, loss_weight), **scaling
    )
    return {**_report(model, made, dtypes, losses), "scales": list(scales)}


def _fill_gradients(model: SmallModel, value: float | None) -> None:
    for weight in model.weights:
        weight.grad = None if value is None else torch.full_like(weight, value)


def _once(batches: Iterable[Batch]) -> Iterable[Batch]:
    """The batches as an iterable that is not a list, like a data loader."""
    yield from batches


def _loss(name: str, weight: float) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    function: Callable[..., torch.Tensor] = getattr(functional, name)
    return lambda outputs, targets: function(outputs, targets) * weight


def _watch_gradients(optimizer: torch.optim.Optimizer) -> list[torch.dtype]:
    """A list that collects the dtype of every gradient that the optimizer gets."""
    dtypes: list[torch.dtype] = []

    def record(stepping: torch.optim.Optimizer, *_: Any) -> None:
        for group in stepping.param_groups:
            dtypes.extend(p.grad.dtype for p in group["params"] if p.grad is not None)

    optimizer.register_step_pre_hook(record)
    return dtypes


def _report(
    model: SmallModel,
    optimizer: torch.optim.Optimizer,
    gradient_dtypes: Sequence[torch.dtype],
    losses: Sequence[float],
) -> dict[str, Any]:
    return {
        "params": list(model.weights),
        "unused": model.unused,
        "state": [dict(optimizer.state.get(p, {})) for p in model.weights],
        "output_dtype": model.output_dtype,
        "gradient_dtypes": sorted(set(gradient_dtypes), key=str),
        "losses": list(losses),
    }
