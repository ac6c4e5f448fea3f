"""Drives the training loop, accumulation and clipping, and records the order of events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.nn import functional

from assignment.scenarios import scenario

Tensors = Sequence[torch.Tensor]


class LoggedModel(torch.nn.Module):
    """tanh layers with the given weights, the last linear; records forward and backward passes.

    With `dropout`, in training mode, it doubles half of the inputs and drops the others.
    """

    def __init__(self, weights: Tensors, events: list[str], dropout: bool = False) -> None:
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.nn.Parameter(w.clone()) for w in weights])
        self.events, self.dropout = events, dropout
        self.rows: list[int] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.events.append("forward")
        self.rows.append(len(x))
        if self.dropout:
            x = functional.dropout(x, 0.5, training=self.training)
        for i, weight in enumerate(self.weights):
            x = x @ weight if i == 0 else x.tanh() @ weight
        if x.requires_grad:
            x.register_hook(lambda _: self.events.append("backward"))  # type: ignore[no-untyped-call]
        return x


class LoggedSGD(torch.optim.SGD):
    """SGD that records each step when it is done, after a closure's forward and backward pass."""

    events: list[str]

    def step(self, closure: Any = None) -> Any:
        loss = super().step(closure)
        self.events.append("step")
        return loss


def _loss(name: str) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    found: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = getattr(functional, name)
    return found


@scenario
def train_run(
    student: Any,
    weights: Tensors,
    batches: Sequence[tuple[torch.Tensor, torch.Tensor]],
    *,
    loss: str = "mse_loss",
    stale: float | None = None,
    eval_mode: bool = False,
    dropout: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """Trains by `train`. `stale` is the value of all gradients before; settings are SGD's."""
    events: list[str] = []
    model = LoggedModel(weights, events, dropout)
    model.train(not eval_mode)
    if stale is not None:
        for p in model.parameters():
            p.grad = torch.full_like(p, stale)
    optimizer = LoggedSGD(model.parameters(), **settings)
    optimizer.events = events

    def taken() -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for inputs, targets in batches:
            events.append("take")
            yield inputs, targets

    losses = student.training.train(model, optimizer, taken(), _loss(loss))
    return {"weights": [p.detach() for p in model.weights], "losses": losses, "events": events}


@scenario
def accumulate_run(
    student: Any,
    weights: Tensors,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    *,
    micro_batch: int,
    loss: str = "mse_loss",
    before: Sequence[torch.Tensor | None] | None = None,
    frozen: Sequence[int] = (),
) -> dict[str, Any]:
    """Calls `accumulate_gradients` once; "refused" says whether it raised ValueError.

    `before` holds the existing gradients; `frozen` are indices of weights that need no gradient.
    """
    events: list[str] = []
    model = LoggedModel(weights, events)
    for i, weight in enumerate(model.weights):
        weight.requires_grad_(i not in frozen)
        if before is not None and before[i] is not None:
            weight.grad = torch.as_tensor(before[i]).clone()
    try:
        found = student.training.accumulate_gradients(
            model, inputs, targets, _loss(loss), micro_batch
        )
        refused = False
    except ValueError:
        found, refused = None, True
    return {
        "loss": found,
        "grads": [p.grad for p in model.weights],
        "weights": [p.detach() for p in model.weights],
        "events": events,
        "rows": model.rows,
        "refused": refused,
    }


@scenario
def clip_run(
    student: Any,
    grads: Sequence[torch.Tensor | None],
    max_norm: float,
    generator: bool = False,
) -> dict[str, Any]:
    """Calls `clip_grad_norm`; "grads" are views of the gradients taken before the call.

    "held" are the parameters' gradients afterwards. "raised" names the exception, if any.
    """
    parameters = [
        torch.nn.Parameter(torch.zeros(3) if g is None else torch.zeros_like(g)) for g in grads
    ]
    for p, g in zip(parameters, grads, strict=True):
        p.grad = None if g is None else g.clone()
    seen = [None if p.grad is None else p.grad.view_as(p) for p in parameters]
    norm, raised = None, None
    try:
        norm = student.training.clip_grad_norm(
            (p for p in parameters) if generator else parameters, max_norm
        )
    except NotImplementedError:
        raise
    except (ValueError, RuntimeError) as error:
        raised = "ValueError" if isinstance(error, ValueError) else "RuntimeError"
    return {"norm": norm, "grads": seen, "held": [p.grad for p in parameters], "raised": raised}
