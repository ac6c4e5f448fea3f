"""Scenarios of the checkpoint chapter: runs that are saved, resumed or killed, and bad files."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assignment.scenarios import scenario


@scenario
def training_run(
    student: Any,
    seed: int,
    steps: int,
    load: str | None = None,
    save: str | None = None,
    first_step: int = 0,
) -> dict[str, Any]:
    """Seeds everything, loads a checkpoint if given, trains some steps, and saves if given.

    Every generator is used: torch's by dropout and the batch, numpy's and Python's by the batch.
    Returns the step reached, each step's loss, the state of model and optimizer, and the next draws
    of each generator.
    """
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    model = torch.nn.Sequential(
        torch.nn.Linear(6, 16),
        torch.nn.BatchNorm1d(16),  # has buffers: state that is not a parameter
        torch.nn.ReLU(),
        torch.nn.Dropout(0.3),
        torch.nn.Linear(16, 3),
    )
    groups: list[dict[str, Any]] = [
        {"params": model[0].parameters()},
        {"params": model[4].parameters(), "lr": 2e-2},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-2)
    step = first_step
    if load is not None:
        step = student.checkpoint.load_checkpoint(load, model, optimizer)
    losses = []
    for _ in range(steps):
        x = torch.randn(8, 6) * float(np.random.normal())
        loss = (model(x) - random.gauss(0, 1)).square().mean()
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
def copy_file(student: Any, source: str, destination: str) -> None:
    """Copies a file."""
    shutil.copyfile(source, destination)


@scenario
def make_folder(student: Any, path: str) -> None:
    """Makes an empty folder."""
    Path(path).mkdir()


@scenario
def files_in(student: Any, folder: str) -> list[str]:
    """The names of the files and folders in a folder, sorted."""
    return sorted(item.name for item in Path(folder).iterdir())


@scenario
def plant_code(student: Any, path: str, marker: str, form: str) -> None:
    """Writes a file with code that creates the folder `marker` if loading runs it."""
    if form == "torch":
        torch.save({"model": _MakesFolder(marker), "optimizer": {}, "step": 1}, path)
    else:
        Path(path).write_bytes(pickle.dumps(_MakesFolder(marker)))


@scenario
def refuses_to_load(student: Any, path: str) -> bool:
    """Whether `load_checkpoint` raises for a file."""
    model, optimizer = _linear(torch.zeros(2, 2))
    try:
        student.checkpoint.load_checkpoint(path, model, optimizer)
    except Exception:
        return True
    return False


@scenario
def save_that_fails(student: Any, path: str) -> bool:
    """Whether saving raises, for a model whose state can only partly be saved."""
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), _Unsaveable())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    try:
        student.checkpoint.save_checkpoint(path, model, optimizer, 1)
    except Exception:
        return True
    return False


@scenario
def save_again_and_again(
    student: Any,
    path: str,
    log: str,
    salt: int,
    first_step: int,
    saves: int = 2000,
    before_save: Callable[[int], None] | None = None,
) -> None:
    """Saves one step after the other; `salt` and the step determine all weights of a step.

    Before each save calls `before_save` with the step. After each save has returned, appends its
    step to the file `log`, as eight digits.
    """
    model, optimizer = _stack()
    for step in range(first_step, first_step + saves):
        with torch.no_grad():
            for i, parameter in enumerate(model.parameters()):
                parameter.fill_(_mark(salt, step, i))
                optimizer.state[parameter]["momentum_buffer"] = parameter.detach().clone()
        if before_save is not None:
            before_save(step)
        student.checkpoint.save_checkpoint(path, model, optimizer, step)
        with Path(log).open("ab", buffering=0) as file:
            file.write(b"%08d" % step)


@scenario
def what_survived(student: Any, path: str, log: str) -> dict[str, Any]:
    """Loads what `save_again_and_again` saved: the least and greatest weight of each tensor.

    `momentum` is the same for the optimizer's state, as far as it exists; `completed` is the last
    step whose save returned.
    """
    model, optimizer = _stack()
    student.checkpoint.load_checkpoint(path, model, optimizer)
    buffers = [
        optimizer.state[p]["momentum_buffer"] for p in model.parameters() if optimizer.state[p]
    ]
    return {
        "weights": [_range(p) for p in model.parameters()],
        "momentum": [_range(b) for b in buffers],
        "completed": int(Path(log).read_bytes()[-8:]),
    }


class _MakesFolder:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (self.path,)


class _Unsaveable(torch.nn.Module):
    """Its state ends with a function, which cannot be pickled; everything before can be saved."""

    def get_extra_state(self) -> Any:
        return lambda: None


def _linear(weights: torch.Tensor) -> tuple[torch.nn.Linear, torch.optim.Optimizer]:
    model = torch.nn.Linear(weights.shape[1], weights.shape[0], bias=False)
    model.weight.data.copy_(weights)
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def _stack() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """A model of 2 MiB, in tensors so small that torch uses a single thread."""
    model = torch.nn.ParameterList([torch.zeros(16384) for _ in range(32)])
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def _mark(salt: int, step: int, i: int) -> float:
    """The weight of tensor `i` at a step: exact in float32, different for each step and tensor."""
    return float(salt + step + 100_000 * i)


def _range(tensor: torch.Tensor) -> tuple[float, float]:
    return tensor.min().item(), tensor.max().item()
