"""Drives optimizers: steps over tensors, and AdamW with groups, schedules and saves.

Gradients are stacked: one tensor per parameter, whose first dimension is the steps. Parameters are
reported through views taken before the first step, which show only changes in place.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import torch

from assignment.scenarios import scenario


@scenario
def optimizer_steps(
    student: Any,
    function: str,
    params: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    states: Sequence[Sequence[torch.Tensor]],
    *,
    first_step: int | None = None,
    transposed: bool = False,
    requires_grad: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """Calls a step function once for each step in `grads`.

    Args:
        function: the function's name, such as `adamw_step`.
        states: the lists that it takes after the gradients, each with a tensor for each parameter.
        first_step: t of the first call; None for a function that does not count its steps.
        transposed: store matrices column by column, so that they are not contiguous.
        requires_grad: whether the parameters require gradients, as a model's do.
        settings: further arguments of the function.
    """
    steps = max((len(g) for g in grads), default=1)
    inputs = [_laid_out(p, transposed).requires_grad_(requires_grad) for p in params]
    lists = [[_laid_out(t, transposed) for t in tensors] for tensors in states]
    seen = {
        "params": [p.detach() for p in inputs],
        "states": [[t.detach() for t in tensors] for tensors in lists],
        "grads": list(grads),
    }
    for i in range(steps):
        if first_step is not None:
            settings["step"] = first_step + i
        getattr(student.optimizers, function)(inputs, [g[i] for g in grads], *lists, **settings)
    return seen


@scenario
def optimizer_step_refused(
    student: Any,
    function: str,
    params: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    states: Sequence[Sequence[torch.Tensor]],
    **settings: Any,
) -> dict[str, Any]:
    """Calls a step function once; returns whether it raised ValueError, and all tensors."""
    seen = {
        "params": [p.detach() for p in params],
        "states": [[t.detach() for t in tensors] for tensors in states],
    }
    lists = [list(tensors) for tensors in (params, grads, *states)]
    try:
        getattr(student.optimizers, function)(*lists, **settings)
    except ValueError:
        return {"refused": True, **seen}
    return {"refused": False, **seen}


@scenario
def adamw_optimizer(
    student: Any,
    params: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    *,
    present: Sequence[Sequence[bool]] | None = None,
    groups: Sequence[dict[str, Any]] | None = None,
    lr_factors: Sequence[float] | None = None,
    reload_at: int | None = None,
    state: dict[str, Any] | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Steps an AdamW once for each step in `grads`, setting `p.grad` before each.

    Args:
        present: for each step and parameter, False for a gradient of None.
        groups: settings of each group, where "params" are indices of parameters; None is one group.
        lr_factors: at step i a LambdaLR scheduler makes the learning rate lr · lr_factors[i].
        reload_at: before this step the state is saved to a file and loaded into a fresh optimizer
            over fresh parameters.
        state: a `state_dict` to load before the first step.
        settings: arguments of AdamW's constructor.

    Returns:
        "params", as seen by views taken before the first step, and the optimizer's "state_dict".
    """
    tensors = [torch.nn.Parameter(p.clone()) for p in params]
    optimizer = student.optimizers.AdamW(_grouped(tensors, groups), **settings)
    if state is not None:
        optimizer.load_state_dict(state)
    scheduler = None
    if lr_factors is not None:
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: lr_factors[i])
    seen = [p.detach() for p in tensors]
    steps = max((len(g) for g in grads), default=0)
    for i in range(steps):
        if i == reload_at:
            file = io.BytesIO()
            torch.save(optimizer.state_dict(), file)
            file.seek(0)
            tensors = [torch.nn.Parameter(p.clone()) for p in seen]
            seen = [p.detach() for p in tensors]
            optimizer = student.optimizers.AdamW(_grouped(tensors, groups))
            optimizer.load_state_dict(torch.load(file, weights_only=True))
        for n, (p, g) in enumerate(zip(tensors, grads, strict=True)):
            p.grad = g[i].clone() if present is None or present[i][n] else None
        optimizer.step()
        if scheduler is not None and i + 1 < steps:
            scheduler.step()
    saved = optimizer.state_dict()
    return {
        "params": seen,
        "state_dict": {
            "state": {int(n): dict(entry) for n, entry in saved["state"].items()},
            "param_groups": [
                {k: v for k, v in group.items() if k in _PLAIN_KEYS}
                for group in saved["param_groups"]
            ],
        },
    }


@scenario
def adamw_closure(
    student: Any,
    weight: torch.Tensor,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    *,
    steps: int,
    **settings: Any,
) -> dict[str, Any]:
    """Fits `inputs @ weight` to `targets` by `step(closure)`; reports the values it returned.

    Every other step is called with gradients disabled. "without" is the result of a final step
    without a closure.
    """
    parameter = torch.nn.Parameter(weight)
    optimizer = student.optimizers.AdamW([parameter], **settings)
    calls = 0

    def closure() -> torch.Tensor:
        nonlocal calls
        calls += 1
        optimizer.zero_grad()
        loss = (inputs @ parameter - targets).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    returned = []
    for i in range(steps):
        with torch.set_grad_enabled(i % 2 == 0):
            returned.append(optimizer.step(closure))
    fitted = parameter.detach().clone()
    return {
        "weight": fitted,
        "losses": [None if loss is None else torch.as_tensor(loss).item() for loss in returned],
        "calls": calls,
        "without": optimizer.step(),
    }


@scenario
def adamw_refused(student: Any, **settings: Any) -> bool:
    """Whether AdamW with these settings raises ValueError."""
    try:
        student.optimizers.AdamW([torch.nn.Parameter(torch.ones(2))], **settings)
    except ValueError:
        return True
    return False


_PLAIN_KEYS = ("params", "lr", "betas", "eps", "weight_decay", "initial_lr")


def _laid_out(tensor: torch.Tensor, transposed: bool) -> torch.Tensor:
    return tensor.t().contiguous().t() if transposed and tensor.dim() == 2 else tensor.clone()


def _grouped(
    tensors: Sequence[torch.nn.Parameter], groups: Sequence[dict[str, Any]] | None
) -> list[Any]:
    if groups is None:
        return list(tensors)
    return [{**group, "params": [tensors[n] for n in group["params"]]} for group in groups]
