"""States of the global generators of `random`, `numpy.random` and torch, as plain data."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

_WORDS = 624  # in the state of a Mersenne twister


def states() -> dict[str, Any]:
    """The state of each generator, by name: `random`, `numpy` and `torch`."""
    version, words, normal = random.getstate()
    return {
        # A tuple of so many ints takes longer to send.
        "random": (version, np.array(words, dtype=np.uint32), normal),
        "numpy": np.random.get_state(),
        "torch": torch.get_rng_state(),
    }


def set_states(states: dict[str, Any]) -> None:
    """Sets each generator, in a scenario, to its state in what `states` returned."""
    version, words, normal = states["random"]
    random.setstate((version, tuple(words.tolist()), normal))
    np.random.set_state(states["numpy"])
    torch.set_rng_state(states["torch"])


def draws(states: dict[str, Any]) -> dict[str, list[float]]:
    """A normal and three uniform draws of random and numpy in these states, which may be any data.

    Raises AssertionError if they are no states of the two generators.
    """
    try:
        python, twister = random.Random(), np.random.RandomState()
        version, words, normal = states["random"]
        assert type(words) is np.ndarray
        assert (words.shape, words.dtype) == ((_WORDS + 1,), np.uint32)  # and the position
        python.setstate((version, tuple(words.tolist()), normal))
        name, words, position, *normals = states["numpy"]
        # numpy does not check them, and would read beyond the words.
        assert type(words) is np.ndarray
        assert (words.shape, words.dtype) == ((_WORDS,), np.uint32)
        assert type(position) is int
        assert 0 <= position <= _WORDS
        twister.set_state((name, words, position, *normals))
        normals = python.gauss(0, 1), float(twister.standard_normal())
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"these are no states of generators: {error}") from error
    return {
        "random": [normals[0], *(python.random() for _ in range(3))],
        "numpy": [normals[1], *twister.random_sample(3).tolist()],
    }
