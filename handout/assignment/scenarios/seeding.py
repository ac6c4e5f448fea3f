"""Draws from generators before and after a student's function: who was seeded, who moved on?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from assignment.scenarios import scenario


def _draw(count: int = 3) -> dict[str, list[float]]:
    """Some draws of each global generator; one gauss, of which both keep a second in store."""
    return {
        "random": [random.gauss(0, 1), *(random.random() for _ in range(count))],
        "numpy": [float(np.random.standard_normal()), *np.random.random(count).tolist()],
        "torch": torch.rand(count, dtype=torch.float64).tolist(),
    }


@scenario
def draws_after_seeding(
    student: Any, seeds: Sequence[int], burn: int = 0
) -> list[dict[str, list[float]]]:
    """For each seed: draws `burn` times, calls `seed_everything`, and reports what comes then."""
    found = []
    for seed in seeds:
        for _ in range(burn):
            _draw(1)
        student.seeding.seed_everything(seed)
        found.append(_draw())
    return found


@scenario
def draws_around(student: Any, module: str, name: str, args: Sequence[Any], seed: int) -> Any:
    """Draws twice from generators of a known seed, calling a function in between.

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
    """Offers a seed to `seed_everything`, over generators of a known state."""
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
def stream_seeds(student: Any, calls: Sequence[Sequence[Any]]) -> list[int]:
    """`stream_seed(*call)` for each of many calls."""
    return [student.seeding.stream_seed(*call) for call in calls]


@scenario
def stream_draws(student: Any, calls: Sequence[Sequence[Any]], count: int) -> list[torch.Tensor]:
    """What `stream_generator(*call)` gives, for each call; all are made before one is used."""
    generators = [student.seeding.stream_generator(*call) for call in calls]
    return [torch.randn(count, generator=g, dtype=torch.float64) for g in generators]
