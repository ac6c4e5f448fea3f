"""Scenarios of the checkpoint chapter: runs that are saved, resumed or killed."""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch

from assignment.calls.plain import is_equal
from assignment.calls.world import LeftChanged
from assignment.material import runs
from assignment.scenarios import scenario

Extra = Callable[[], torch.Tensor | str | None]  # asked for a part of a model's state


@scenario
def training_run(
    student: Any,
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]] = (),
    start: dict[str, Any] | None = None,
    load: str | None = None,
    save: str | None = None,
) -> dict[str, Any]:
    """A run from the state `start` or the checkpoint `load`: a step for each batch, then `save`.

    Every global generator is used: torch's by dropout, numpy's and Python's by the loss. Returns
    the step reached, the losses, the states of model and optimizer, and each one's next "draws".

    Raises:
        LeftChanged: saving has changed the run.
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
        before = _snapshot(model, optimizer)
        student.checkpoint.save_checkpoint(save, model, optimizer, step)
        for name, now in _snapshot(model, optimizer).items():
            if not is_equal(now, before[name], strict=True):
                raise LeftChanged(f"save_checkpoint leaves {name} changed; only read what you save")
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
def save_weights(
    student: Any,
    path: str | Path,
    weights: torch.Tensor,
    step: int,
    momentum: torch.Tensor | None = None,
) -> None:
    """Saves a model with these two-dimensional weights and an optimizer with this momentum.

    By default the optimizer took no step.
    """
    model, optimizer = _linear(weights)
    if momentum is not None:
        optimizer.state[model.weight]["momentum_buffer"] = momentum
    student.checkpoint.save_checkpoint(path, model, optimizer, step)


@scenario
def load_weights(
    student: Any, path: str | Path, shape: tuple[int, int], dtype: torch.dtype = torch.float32
) -> tuple[int, torch.Tensor]:
    """Loads a checkpoint of `save_weights`; returns the step and the weights.

    Raises:
        LeftChanged: the weights are not where they were, or what does not belong to a checkpoint
            has changed.
    """
    model, optimizer = _linear(torch.zeros(shape, dtype=dtype))
    with _loads_in_place(model):
        step = student.checkpoint.load_checkpoint(path, model, optimizer)
    return step, model.weight


@scenario
def load_and_step(
    student: Any, path: str, shape: tuple[int, int], gradient: torch.Tensor
) -> torch.Tensor:
    """Loads a checkpoint of `save_weights` into a run under way that has other settings.

    Then takes one step with this gradient, and returns the weights.
    """
    model, optimizer = _linear(torch.ones(shape, dtype=gradient.dtype))
    model.weight.grad = torch.ones_like(model.weight)
    optimizer.step()
    optimizer.param_groups[0].update(lr=0.5, momentum=0.5)
    student.checkpoint.load_checkpoint(path, model, optimizer)
    model.weight.grad = gradient
    optimizer.step()
    return model.weight.detach()


@contextmanager
def _loads_in_place(model: torch.nn.Module) -> Iterator[None]:
    """Raises LeftChanged if loading in the block moves tensors, or changes modes or gradients."""
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    tensors = [*model.parameters(), *model.buffers()]
    addresses = [tensor.data_ptr() for tensor in tensors]
    modes = [module.training for module in model.modules()]
    yield
    now = [*model.parameters(), *model.buffers()]
    if [tensor.data_ptr() for tensor in now] != addresses:
        raise LeftChanged("load_checkpoint leaves tensors in other memory; overwrite their values")
    if [module.training for module in model.modules()] != modes:
        raise LeftChanged("load_checkpoint leaves the mode of a layer changed; do not set it")
    if any(p.grad is None or (p.grad != 1).any() for p in model.parameters()):
        raise LeftChanged("load_checkpoint leaves gradients changed; do not clear them")


@scenario
def make_folder(student: Any, path: str | Path) -> None:
    """Makes an empty folder."""
    Path(path).mkdir()


@scenario
def save_in_folder(student: Any, folder: str, name: str, weights: torch.Tensor, step: int) -> None:
    """As `save_weights`, but `folder` is the working folder and `name` has no folder."""
    model, optimizer = _linear(weights)
    with chdir(folder):
        student.checkpoint.save_checkpoint(name, model, optimizer, step)


@scenario
def around_save(student: Any, path: str, start: dict[str, Any]) -> dict[str, Any]:
    """All state of a run from `start` "before" and "after" it saves, with gradients."""
    model, optimizer = runs.new_run()
    model.load_state_dict(start["model"])
    optimizer.load_state_dict(start["optimizer"])
    for parameter in model.parameters():
        parameter.grad = parameter.detach() + 1
    next(layer for layer in model.children() if list(layer.buffers())).eval()  # one layer alone
    before = _snapshot(model, optimizer)
    student.checkpoint.save_checkpoint(path, model, optimizer, start["step"])
    return {"before": before, "after": _snapshot(model, optimizer)}


def _snapshot(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Copies of all that saving must not change, by the names that a message gives them."""
    numpy_state = np.random.get_state(legacy=False)
    return copy.deepcopy(
        {
            "the model's state": dict(model.state_dict()),
            "the optimizer's state": optimizer.state_dict(),
            "the gradients": [parameter.grad for parameter in model.parameters()],
            "requires_grad": [parameter.requires_grad for parameter in model.parameters()],
            "the modes of the layers": [module.training for module in model.modules()],
            "torch's generator": torch.get_rng_state(),
            "numpy's generator": [numpy_state["state"]["key"], numpy_state["state"]["pos"]],
            "Python's generator": list(random.getstate()[1]),
        }
    )


@scenario
def save_buffers(student: Any, path: str, kept: torch.Tensor, left: torch.Tensor) -> None:
    """Saves a model with two buffers; `left` is not persistent, so `state_dict()` leaves it out."""
    model, optimizer = _with_buffers(kept, left)
    student.checkpoint.save_checkpoint(path, model, optimizer, 1)


@scenario
def load_buffers(student: Any, path: str, kept: torch.Tensor, left: torch.Tensor) -> list[Any]:
    """Loads a checkpoint of `save_buffers` over these buffers; returns both.

    Raises:
        LeftChanged: as in `load_weights`.
    """
    model, optimizer = _with_buffers(kept, left)
    model["module"].eval()  # one layer alone
    with _loads_in_place(model):
        student.checkpoint.load_checkpoint(path, model, optimizer)
    return list(model.buffers())


def _with_buffers(kept: torch.Tensor, left: torch.Tensor) -> tuple[Any, torch.optim.Optimizer]:
    model, optimizer = _linear(torch.zeros(2, 2))
    model.register_buffer("kept", kept)
    model.register_buffer("left", left, persistent=False)
    return torch.nn.ModuleDict({"module": model}), optimizer


@scenario
def save_extra(student: Any, path: str, weights: torch.Tensor, extra: Extra) -> None:
    """Saves a model with these weights, and what `extra` returns as the last part of its state.

    `extra` is called when the state is taken. None stands for a function, which cannot be saved;
    a string for something that raises KeyboardInterrupt when it is saved.

    Raises:
        Interrupted: for that KeyboardInterrupt, which no process of the grader should see.
    """
    model, optimizer = _with_extra(weights, extra)
    try:
        student.checkpoint.save_checkpoint(path, model, optimizer, 1)
    except KeyboardInterrupt:
        raise Interrupted from None


@scenario
def load_extra(student: Any, path: str, shape: tuple[int, int]) -> tuple[torch.Tensor, Any]:
    """Loads a checkpoint of `save_extra`; returns the weights, and what `extra` had returned."""
    model, optimizer = _with_extra(torch.zeros(shape), lambda: torch.zeros(1))
    student.checkpoint.load_checkpoint(path, model, optimizer)
    return model[0].weight, model[1].extra


@scenario
def save_again_and_again(
    student: Any,
    path: str,
    shape: tuple[int, int],
    states: Iterable[tuple[int, torch.Tensor]],
    survived: Callable[[int, torch.Tensor, torch.Tensor | None], None] | None = None,
    process: int | None = None,
) -> None:
    """Saves one state after the other: a step, and weights of this shape.

    The optimizer's momentum is the negative of the weights. If `survived` is given, `path`, which
    must exist, is loaded before the first state is taken, and `survived` is called with the loaded
    step, weights, and momentum (None if there is none). During a save `os.getpid` returns `process`
    if given: in a sandbox all processes may have one id, and files named by it would not differ.
    """
    model, optimizer = _linear(torch.zeros(shape))
    if survived is not None:
        step = student.checkpoint.load_checkpoint(path, model, optimizer)
        momentum = optimizer.state[model.weight].get("momentum_buffer")
        survived(step, model.weight.detach(), momentum)
        model, optimizer = _linear(torch.zeros(shape))
    pid = os.getpid() if process is None else process
    for step, weights in states:
        with torch.no_grad():
            model.weight.copy_(weights)
        optimizer.state[model.weight]["momentum_buffer"] = -weights
        with mock.patch("os.getpid", return_value=pid):
            student.checkpoint.save_checkpoint(path, model, optimizer, step)


class Interrupted(Exception):
    """A KeyboardInterrupt came while a checkpoint was saved."""


class _Interrupting:
    """Raises KeyboardInterrupt when it is pickled."""

    def __reduce__(self) -> str:
        raise KeyboardInterrupt


class _Extra(torch.nn.Module):
    """Its extra state is what `extra` returns, or something that cannot be saved: `save_extra`."""

    def __init__(self, extra: Extra) -> None:
        super().__init__()
        self.ask, self.extra = extra, torch.zeros(0)

    def get_extra_state(self) -> Any:
        state = self.ask()
        if isinstance(state, str):
            return _Interrupting()
        return (lambda: None) if state is None else state

    def set_extra_state(self, state: torch.Tensor) -> None:
        self.extra = state


def _with_extra(weights: torch.Tensor, extra: Extra) -> tuple[Any, torch.optim.Optimizer]:
    linear, optimizer = _linear(weights)
    return torch.nn.Sequential(linear, _Extra(extra)), optimizer


def _linear(weights: torch.Tensor) -> tuple[torch.nn.Linear, torch.optim.Optimizer]:
    """A linear layer with these weights, and SGD with momentum for it."""
    model = torch.nn.Linear(weights.shape[1], weights.shape[0], bias=False, dtype=weights.dtype)
    model.weight.data.copy_(weights)
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
