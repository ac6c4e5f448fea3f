"""Runs for tests of checkpoints: states and batches drawn at random, and what must follow."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch


def new_run() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    """A small model and its optimizer, before the first step.

    BatchNorm has buffers, which are state but no parameters. All layers are smooth, so that a
    rounding error stays small. Dropout draws from torch's generator. One layer is called `module`,
    as wrappers for several devices call the model that they wrap: this model is no wrapper.
    """
    layers: dict[str, torch.nn.Module] = {
        "module": torch.nn.Linear(32, 32),
        "norm": torch.nn.BatchNorm1d(32),
        "tanh": torch.nn.Tanh(),
        "dropout": torch.nn.Dropout(0.3),
        "last": torch.nn.Linear(32, 32),
    }
    model = torch.nn.Sequential(OrderedDict(layers))
    groups: list[dict[str, Any]] = [
        {"params": model[0].parameters()},
        {"params": [*model[1].parameters(), *model[4].parameters()], "lr": 2e-2},
    ]
    return model, torch.optim.AdamW(groups, lr=1e-2)


def drawn_state(rng: np.random.Generator, torch_rng: torch.Generator) -> dict[str, Any]:
    """The whole state of a `new_run` in the midst of its training, drawn at random, as plain data.

    No part follows from the others: only who has kept all of them can go on. Has `step`; `model`
    and `optimizer`, as their `state_dict()`; `torch`, `numpy` and `python`, the states of the
    generators, each with numbers left of those that it makes at once.
    """
    model, optimizer = new_run()
    tensors = model.state_dict()
    for name, tensor in tensors.items():
        if name.endswith("num_batches_tracked"):
            tensor.random_(2**40, generator=torch_rng)  # beyond the whole numbers of float32
        else:
            low, high = (0.5, 2.0) if name.endswith("running_var") else (-0.5, 0.5)
            tensor.uniform_(low, high, generator=torch_rng)
    groups = optimizer.state_dict()["param_groups"]
    for group in groups:
        group["lr"] = float(rng.uniform(1e-3, 1e-2))
        group["betas"] = (float(rng.uniform(0.8, 0.95)), float(rng.uniform(0.95, 0.999)))
        group["weight_decay"] = float(rng.uniform(0.01, 0.1))
        group["initial_lr"] = float(rng.uniform(1e-3, 1e-2))  # as a schedule keeps it
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    moments = {
        i: {
            "step": torch.tensor(float(rng.integers(10, 1000))),
            "exp_avg": torch.empty_like(p.data).uniform_(-1, 1, generator=torch_rng),
            "exp_avg_sq": torch.empty_like(p.data).uniform_(0.5, 2, generator=torch_rng),
            # Some optimizers keep numbers and lists too. AdamW leaves these as they are.
            "evaluations": int(rng.integers(10**6)),
            "history": [float(value) for value in rng.normal(size=3)],
        }
        for i, p in enumerate(parameters)
    }
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    torch.randn(int(rng.integers(1, 100)), generator=generator)
    words = rng.integers(2**32, size=(2, 624))
    return {
        "step": int(rng.integers(10**6)),
        "model": dict(tensors),
        "optimizer": {"state": moments, "param_groups": groups},
        "torch": generator.get_state(),
        "numpy": (
            "MT19937",
            words[0].astype(np.uint32),
            int(rng.integers(1, 620)),
            1,
            float(rng.normal()),
        ),
        "python": (
            3,
            (*(int(word) for word in words[1]), int(rng.integers(1, 620))),
            float(rng.normal()),
        ),
    }


def next_draws(state: dict[str, Any]) -> dict[str, Any]:
    """What each generator draws next, in the state that `drawn_state` gave it."""
    torch_generator = torch.Generator()
    torch_generator.set_state(state["torch"])
    numpy_generator, python_generator = np.random.RandomState(), random.Random()
    numpy_generator.set_state(state["numpy"])
    python_generator.setstate(state["python"])
    return {
        "torch": torch.randn(5, generator=torch_generator),
        "numpy": [float(numpy_generator.normal()) for _ in range(5)],
        "python": [python_generator.gauss(0, 1) for _ in range(5)],
    }


class Batches:
    """Batches of `rows` rows for a `new_run`, each drawn when it is taken."""

    def __init__(self, torch_rng: torch.Generator, rows: int = 8) -> None:
        self._torch_rng, self._rows = torch_rng, rows
        self._taken: list[tuple[torch.Tensor, torch.Tensor]] = []

    def draw(self, count: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """New batches: inputs and targets."""
        for _ in range(count):
            batch = torch.randn(2, self._rows, 32, generator=self._torch_rng)
            self._taken.append((batch[0], batch[1]))
            yield self._taken[-1]

    def again(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """All batches that were drawn, once more."""
        yield from list(self._taken)
