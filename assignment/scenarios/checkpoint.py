"""Scenarios of the checkpoint chapter: runs that are saved, resumed or killed."""

from __future__ import annotations

import os
import random
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assignment import runs
from assignment.scenarios import scenario


@scenario
def training_run(
    student: Any,
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]] = (),
    start: dict[str, Any] | None = None,
    load: str | None = None,
    save: str | None = None,
) -> dict[str, Any]:
    """A run from the state `start` or from a checkpoint: a step for each batch, then saves.

    Every generator is used: torch's by dropout, numpy's and Python's by the loss. Returns the step
    reached, each step's loss, the state of model and optimizer, and the next draws of each
    generator.
    """
    model, optimizer = runs.new_run()
    step = 0
    if start is not None:
        step = start["step"]
        model.load_state_dict(start["model"])
        optimizer.load_state_dict(start["optimizer"])
        torch.set_rng_state(start["torch"])
        np.random.set_state(start["numpy"])
        random.setstate(start["python"])
    if load is not None:
        step = student.checkpoint.load_checkpoint(load, model, optimizer)
    losses = []
    for x, y in batches:
        error = model(x * float(np.random.normal())) - y - random.gauss(0, 1)
        loss = error.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] *= 0.97  # a schedule: settings also change during the run
        losses.append(loss.item())
        step += 1
    if save is not None:
        student.checkpoint.save_checkpoint(save, model, optimizer, step)
    return {
        "step": step,
        "losses": losses,
        "model": dict(model.state_dict()),
        "optimizer": optimizer.state_dict(),
        "draws": {
            "torch": torch.randn(5),
            "numpy": [float(np.random.normal()) for _ in range(5)],
            "python": [random.gauss(0, 1) for _ in range(5)],
        },
    }


@scenario
def save_weights(student: Any, path: str, weights: torch.Tensor, step: int) -> None:
    """Saves a model with these two-dimensional weights and an optimizer that took no step."""
    model, optimizer = _linear(weights)
    student.checkpoint.save_checkpoint(path, model, optimizer, step)


@scenario
def load_weights(
    student: Any, path: str, shape: tuple[int, int]
) -> tuple[int, torch.Tensor | torch.nn.Parameter]:
    """Loads a checkpoint of `save_weights`; returns the step and the weights."""
    model, optimizer = _linear(torch.zeros(shape))
    step = student.checkpoint.load_checkpoint(path, model, optimizer)
    return step, model.weight


@scenario
def save_extra(
    student: Any, path: str, weights: torch.Tensor, extra: Callable[[], torch.Tensor | None]
) -> None:
    """Saves a model with these weights, and what `extra` says as the last part of its state.

    It is asked when the state is taken. None makes this part a function, which cannot be saved.
    """
    model, optimizer = _with_extra(weights, extra)
    student.checkpoint.save_checkpoint(path, model, optimizer, 1)


@scenario
def load_extra(
    student: Any, path: str, shape: tuple[int, int]
) -> tuple[torch.Tensor | torch.nn.Parameter, Any]:
    """Loads a checkpoint of `save_extra`; returns the weights and the last part of the state."""
    model, optimizer = _with_extra(torch.zeros(shape), lambda: torch.zeros(1))
    student.checkpoint.load_checkpoint(path, model, optimizer)
    return model[0].weight, model[1].extra


@scenario
def save_again_and_again(
    student: Any,
    path: str,
    states: Iterable[tuple[int, torch.Tensor]],
    before_save: Callable[[], None] | None = None,
    while_pickling: Callable[[], None] | None = None,
) -> None:
    """Saves one state after the other: a step, and weights of shape (48, 16384).

    The optimizer's state is the negative of the weights. Before each save calls `before_save`.
    Calls `while_pickling` whenever the model's state is pickled, which is in the midst of a save.
    """
    model, optimizer = _stack(while_pickling)
    for step, weights in states:
        with torch.no_grad():
            for parameter, row in zip(model.parameters(), weights, strict=True):
                parameter.copy_(row)
                optimizer.state[parameter]["momentum_buffer"] = -row
        if before_save is not None:
            before_save()
        student.checkpoint.save_checkpoint(path, model, optimizer, step)


@scenario
def what_survived(student: Any, path: str) -> dict[str, Any]:
    """Loads what `save_again_and_again` saved.

    `momentum` is the optimizer's state, or None if that was not loaded.
    """
    model, optimizer = _stack()
    step = student.checkpoint.load_checkpoint(path, model, optimizer)
    states = [optimizer.state[p] for p in model.parameters()]
    return {
        "step": step,
        "weights": torch.stack(list(model.parameters())),
        "momentum": torch.stack([s["momentum_buffer"] for s in states]) if all(states) else None,
    }


@scenario
def save_by_operations(
    student: Any,
    path: str,
    weights: torch.Tensor,
    step: int,
    before_operation: Callable[[str], None],
) -> None:
    """As `save_weights`, and calls `before_operation` before each operation on files beside `path`.

    An operation is what Python announces to its audit hooks: opening, renaming, removing. A hook
    cannot be removed, but is idle after the save.
    """
    model, optimizer = _linear(weights)
    folder = Path(path).parent
    is_watching = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_watching
        if not (is_watching and (event == "open" or event.startswith("os.")) and arguments):
            return
        file = arguments[0]
        if isinstance(file, str | os.PathLike) and Path(file).is_relative_to(folder):
            is_watching = False  # during the call, which may open files as well
            before_operation(event)
            is_watching = True

    sys.addaudithook(hook)
    try:
        student.checkpoint.save_checkpoint(path, model, optimizer, step)
    finally:
        is_watching = False


class _Extra(torch.nn.Module):
    """Its state is what `extra` says, or a function."""

    def __init__(self, extra: Callable[[], torch.Tensor | None]) -> None:
        super().__init__()
        self.ask, self.extra = extra, torch.zeros(0)

    def get_extra_state(self) -> Any:
        found = self.ask()
        return (lambda: None) if found is None else found

    def set_extra_state(self, state: torch.Tensor) -> None:
        self.extra = state


def _with_extra(
    weights: torch.Tensor, extra: Callable[[], torch.Tensor | None]
) -> tuple[Any, torch.optim.Optimizer]:
    linear, optimizer = _linear(weights)
    return torch.nn.Sequential(linear, _Extra(extra)), optimizer


def _linear(weights: torch.Tensor) -> tuple[torch.nn.Linear, torch.optim.Optimizer]:
    model = torch.nn.Linear(weights.shape[1], weights.shape[0], bias=False)
    model.weight.data.copy_(weights)
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


class _Watched(OrderedDict[str, torch.Tensor]):
    """Is pickled as an OrderedDict, and tells when."""

    tell: Callable[[], None] | None = None

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if self.tell is not None:
            self.tell()
        return OrderedDict, (), None, None, iter(self.items())


class _Stack(torch.nn.ParameterList):
    """Parameters of 3 MiB, in tensors so small that torch uses a single thread."""

    tell: Callable[[], None] | None = None

    def __init__(self) -> None:
        super().__init__([torch.zeros(16384) for _ in range(48)])

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        state = _Watched(super().state_dict(*args, **kwargs))
        state.tell = self.tell
        return state


def _stack(
    tell: Callable[[], None] | None = None,
) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    model = _Stack()
    model.tell = tell
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
