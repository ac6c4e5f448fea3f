"""Draws from generators before and after a student's function, to see which ones it changed."""

from __future__ import annotations

import builtins
import random
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
import torch

from assignment.scenarios import scenario


def _draw(count: int = 3) -> dict[str, list[float]]:
    """Draws from each global generator, including one normal number: random and numpy draw these in
    pairs and keep the second."""
    return {
        "random": [random.gauss(0, 1), *(random.random() for _ in range(count))],
        "numpy": [float(np.random.standard_normal()), *np.random.random(count).tolist()],
        "torch": torch.rand(count, dtype=torch.float64).tolist(),
    }


@scenario
def draws_after_seeding(
    student: Any, seeds: Sequence[int], burn: int = 0
) -> list[dict[str, list[float]]]:
    """For each seed: draws `burn` times, calls `seed_everything`, and reports the next draws."""
    found = []
    for seed in seeds:
        for _ in range(burn):
            _draw(1)
        student.seeding.seed_everything(seed)
        found.append(_draw())
    return found


@scenario
def draws_around(student: Any, module: str, name: str, args: Sequence[Any], seed: int) -> Any:
    """Draws twice from generators with a known seed, and calls a function in between.

    With an empty name nothing is called.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    before = _draw()
    result = None
    if name:
        result = getattr(getattr(student, module), name)(*args)
    return {"before": before, "after": _draw(), "called": result is not None}


@scenario
def refused_seeding(student: Any, seed: int, state: int) -> dict[str, Any]:
    """Calls `seed_everything` with generators in a known state; reports a refusal and the draws."""
    refused = False
    random.seed(state)
    np.random.seed(state % 2**32)
    torch.manual_seed(state)
    try:
        student.seeding.seed_everything(seed)
    except ValueError:
        refused = True
    return {"refused": refused, "draws": _draw()}


@scenario
def stream_seeds(student: Any, calls: Sequence[Sequence[Any]], salt: int = 0) -> list[int]:
    """`stream_seed(*call)` for each of many calls.

    A salt changes the results of Python's `hash`, as another process does for strings. (The workers
    of one grading are forks and share their salt.)
    """
    function = student.seeding.stream_seed
    original = builtins.hash
    with mock.patch.object(builtins, "hash", lambda value: original(value) ^ salt):
        return [function(*call) for call in calls]


@scenario
def stream_draws(student: Any, calls: Sequence[Sequence[Any]], count: int) -> list[torch.Tensor]:
    """Draws of `stream_generator(*call)` for each call; all are made before the first is used."""
    generators = [student.seeding.stream_generator(*call) for call in calls]
    return [torch.randn(count, generator=g, dtype=torch.float64) for g in generators]
