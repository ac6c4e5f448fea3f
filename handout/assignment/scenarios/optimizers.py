"""Drives optimizers: steps over tensors, and AdamW with groups, schedules and saves.

The tensors lie in a file (`material/tensor_files.py`), which shows only changes in place.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from assignment.calls.world import LeftChanged, modes_unchanged
from assignment.material.tensor_files import Place, mapped, tensor_at
from assignment.scenarios import scenario


@scenario
def optimizer_steps(
    student: Any,
    function: str,  # such as "optimizers.adamw_step"
    path: str,
    start: torch.Tensor | None,  # the file's content before the first step; None to leave it
    params: Sequence[Place],
    grads: Sequence[Sequence[Place]],  # of each step
    states: Sequence[Sequence[Place]],  # of each list that the function takes after the gradients
    *,
    first_step: int | None = None,  # the first call's `step`; None if the function takes none
    requires_grad: bool = False,  # whether the parameters do, as a model's
    grad_enabled: bool = True,  # in the calls, but for every third
    **settings: Any,  # further arguments of the function
) -> None:
    """Calls a step function on tensors in a file, once for each list of gradients.

    In every second step it gets its gradients and states in tuples, not in lists. Every second
    parameter has a `.grad` of nan, which no step may use.

    Raises:
        LeftChanged: a step changes a mode of torch, or a parameter's `requires_grad` or `grad`; or
            a state has become part of an autograd graph.
    """
    memory = mapped(path, start)
    module, _, name = function.partition(".")
    step_function = getattr(getattr(student, module), name)
    inputs = [p.requires_grad_(requires_grad) for p in _tensors_at(memory, params)]
    for p in inputs[::2]:
        p.grad = torch.full_like(p, torch.nan)
    own_grads = [p.grad for p in inputs]
    lists: list[Sequence[torch.Tensor]] = [_tensors_at(memory, places) for places in states]
    for i, places in enumerate(grads):
        if first_step is not None:
            settings["step"] = first_step + i
        arguments = [_tensors_at(memory, places), *lists]
        if i % 2:
            arguments = [tuple(tensors) for tensors in arguments]
        # Every third step meets a program that has disabled gradients.
        with torch.set_grad_enabled(grad_enabled and i % 3 != 2), modes_unchanged(function):
            step_function(inputs, *arguments, **settings)
        if any(
            p.requires_grad != requires_grad or p.grad is not g
            for p, g in zip(inputs, own_grads, strict=True)
        ):
            raise LeftChanged(f"{function} leaves a parameter with another requires_grad or grad")
    if any(t.requires_grad for tensors in lists for t in tensors):
        raise LeftChanged(f"{function} leaves a graph at its state; step under torch.no_grad()")


@scenario
def adamw_optimizer(
    student: Any,
    path: str,
    start: torch.Tensor | None,  # as in `optimizer_steps`
    params: Sequence[Place],
    grads: Sequence[torch.Tensor],  # of each parameter; the first dimension is the steps
    *,
    present: Sequence[Sequence[bool]] | None = None,  # by step and parameter; False is no gradient
    groups: Sequence[dict[str, Any]] | None = None,  # "params" are indices; None for a single group
    added: Sequence[dict[str, Any]] = (),  # groups, by `add_param_group` before the first step
    refused: Sequence[dict[str, Any]] = (),  # groups for which that should raise ValueError
    lr_factors: Sequence[float] | None = None,  # a LambdaLR makes the rate of step i lr · factor i
    changes: Sequence[dict[str, Any]] = (),  # settings that every group gets before step i
    state: dict[str, Any] | None = None,  # a `state_dict` to load before the first step
    **settings: Any,  # of AdamW's constructor
) -> dict[str, Any]:
    """Steps an AdamW once for each step in `grads`, setting `p.grad` before each.

    The constructor and groups get their parameters as iterators, like `module.parameters()`. An
    added group with one parameter gets it without a list, as `torch.optim.Optimizer` allows.
    Returns the optimizer's `state_dict` after the last step.

    Raises:
        LeftChanged: a step changes a mode of torch, or a parameter's gradient.
        TypeError: the base class is torch's own AdamW or Adam.
    """
    tensors = [torch.nn.Parameter(p) for p in _tensors_at(mapped(path, start), params)]
    optimizer = _new_adamw(student, _grouped(tensors, groups), settings)
    for group, indices in zip(_grouped(tensors, added), added, strict=True):
        if len(indices["params"]) == 1:
            (group["params"],) = group["params"]
        optimizer.add_param_group(group)
    for group in _grouped(tensors, refused):
        with contextlib.suppress(ValueError):
            optimizer.add_param_group(group)
    if state is not None:
        optimizer.load_state_dict(state)
    scheduler = None
    if lr_factors is not None:
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: lr_factors[i])
    steps = max((len(g) for g in grads), default=0)
    for i in range(steps):
        for n, (p, g) in enumerate(zip(tensors, grads, strict=True)):
            p.grad = g[i].clone() if present is None or present[i][n] else None
        own_grads = [p.grad for p in tensors]
        for group in optimizer.param_groups if changes else ():
            group.update(changes[i])
        # Every third step meets a program that has disabled gradients.
        with torch.set_grad_enabled(i % 3 != 2), modes_unchanged("AdamW.step"):
            optimizer.step()
        for p, g, old in zip(tensors, grads, own_grads, strict=True):
            if p.grad is not old or (old is not None and not torch.equal(old, g[i])):
                raise LeftChanged("AdamW.step leaves a parameter with another gradient")
        if scheduler is not None and i + 1 < steps:
            scheduler.step()
    saved = optimizer.state_dict()
    return {
        "state": {int(n): dict(entry) for n, entry in saved["state"].items()},
        "param_groups": saved["param_groups"],
    }


@scenario
def adamw_closure(
    student: Any,
    weight: torch.Tensor,
    coefficients: Callable[[torch.Tensor], torch.Tensor],
    *,
    steps: int,
    grad_enabled: bool = True,  # in the steps, but for every third
    **settings: Any,
) -> dict[str, Any]:
    """Steps by `step(closure)`; the loss is the sum of `coefficients(weight) · weight`.

    Every second call of the closure returns the loss as a float. Returns "weight" after the last
    step, what the steps returned as "losses", and as "without" what one without a closure returned.

    Raises:
        LeftChanged: a step changes a mode of torch, or returns another object than the closure.
        TypeError: as in `adamw_optimizer`.
    """
    parameter = torch.nn.Parameter(weight)
    optimizer = _new_adamw(student, [parameter], settings)
    losses: list[torch.Tensor | float] = []

    def closure() -> torch.Tensor | float:
        optimizer.zero_grad()
        loss = (parameter * coefficients(parameter.detach())).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        losses.append(loss.item() if len(losses) % 2 else loss)
        return losses[-1]

    returned = []
    for i in range(steps):
        # Another way than a submission's `step` takes, which it may have replaced for itself.
        gradients = torch.no_grad() if i % 3 == 2 else torch.set_grad_enabled(grad_enabled)
        with gradients, modes_unchanged("AdamW.step"):
            returned.append(optimizer.step(closure))
        if returned[-1] is not None and all(returned[-1] is not loss for loss in losses):
            raise LeftChanged("AdamW.step returns another object than the closure did")
    return {
        "weight": parameter.detach().clone(),  # before the further step
        "losses": [loss.item() if isinstance(loss, torch.Tensor) else loss for loss in returned],
        "without": optimizer.step(),
    }


def _new_adamw(student: Any, params: Iterable[Any], settings: dict[str, Any]) -> Any:
    """The student's AdamW; raises TypeError if it is derived from torch's."""
    optimizer = student.optimizers.AdamW(params, **settings)
    if isinstance(optimizer, torch.optim.Adam):  # of which torch's AdamW is a subclass
        raise TypeError("AdamW is derived from torch's own; derive it from torch.optim.Optimizer")
    return optimizer


def _tensors_at(memory: torch.Tensor, places: Sequence[Place]) -> list[torch.Tensor]:
    return [tensor_at(memory, place).detach() for place in places]


def _grouped(
    tensors: Sequence[torch.nn.Parameter], groups: Sequence[dict[str, Any]] | None
) -> Iterable[Any]:
    """What an optimizer takes as `params`: the groups with tensors for indices, or all tensors."""
    if groups is None:
        return (p for p in tensors)
    return [{**group, "params": map(tensors.__getitem__, group["params"])} for group in groups]
