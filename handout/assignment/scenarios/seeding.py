"""The global generators, between calls of a student's functions; and many streams at once."""

from __future__ import annotations

import builtins
import random
import sys
from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
import torch

from assignment.calls.world import LeftChanged, global_generators
from assignment.material import generators
from assignment.scenarios import scenario


@scenario
def generator_states(student: Any) -> dict[str, Any]:
    """The states of the global generators."""
    return generators.states()


@scenario
def set_generator_states(student: Any, states: dict[str, Any]) -> None:
    """Sets the states of the global generators."""
    generators.set_states(states)


@scenario
def draw(student: Any, count: int = 3) -> dict[str, list[float]]:
    """Draws from each global generator, including one normal number: random and numpy draw these in
    pairs and keep the second."""
    return {
        "random": [random.gauss(0, 1), *(random.random() for _ in range(count))],
        "numpy": [float(np.random.standard_normal()), *np.random.random(count).tolist()],
        "torch": torch.rand(count, dtype=torch.float64).tolist(),
    }


@scenario
def stream_seeds(student: Any, calls: Sequence[Sequence[Any]], salt: int = 0) -> list[int]:
    """`stream_seed(*call)` for each of many calls.

    With a salt, Python's `hash` gives other results, as it does for strings in another process (the
    workers of one grading are forks, and hash alike), and equal strings are one object.

    Raises:
        LeftChanged: a global generator has changed.
    """
    function = student.seeding.stream_seed
    original = builtins.hash
    if salt:
        calls = [[sys.intern(k) if isinstance(k, str) else k for k in call] for call in calls]
    before = global_generators()
    with mock.patch.object(builtins, "hash", lambda value: original(value) ^ salt):
        found = [function(*call) for call in calls]
    _check_generators("stream_seed", before)
    return found


def _check_generators(function: str, before: dict[str, Any]) -> None:
    """Raises LeftChanged if a global generator is not in the state that it had before."""
    for name, state in global_generators().items():
        if state != before[name]:
            raise LeftChanged(f"{function} changes the global generator of {name}")


@scenario
def stream_draws(student: Any, calls: Sequence[Sequence[Any]], count: int) -> list[torch.Tensor]:
    """`count` normal float64 draws for each call: `stream_generator(*call)` of all, then the draws.

    Raises:
        LeftChanged: a global generator has changed.
    """
    before = global_generators()
    made = [student.seeding.stream_generator(*call) for call in calls]
    _check_generators("stream_generator", before)
    return [torch.randn(count, generator=g, dtype=torch.float64) for g in made]
