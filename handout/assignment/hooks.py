"""The grader's hooks into the plugin; the package under test; a test's exercise, title and seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from assignment import manifest
from assignment.calls.implementation import Implementation

Provider = Callable[[pytest.FixtureRequest], AbstractContextManager[Implementation]]
PROVIDER: pytest.StashKey[Provider] = pytest.StashKey()  # makes `impl`
SHARED_FOLDERS: pytest.StashKey[Path] = pytest.StashKey()  # holds each test's shared folder
SEEDED_FIXTURES = frozenset({"seed", "rng", "torch_rng"})  # of tests with random inputs


def package_of(config: pytest.Config) -> Path:
    """The folder of the package under test."""
    return Path(config.getoption("--submission")).resolve() / manifest.load().package


def exercise_of(item: pytest.Item) -> str | None:
    """The exercise that a test names in its marker, or None."""
    marker = item.get_closest_marker("exercise")
    return None if marker is None else marker.args[0]


def title_of(item: pytest.Item) -> str:
    """A test's title: the first paragraph of its docstring, or its name without parameters.

    `{case}` in it becomes the id of the test's parameters, which the title then gives away.
    """
    doc = getattr(getattr(item, "function", None), "__doc__", None)
    title: str = doc or getattr(item, "originalname", None) or item.name
    title = " ".join(title.strip().partition("\n\n")[0].split())
    return title.replace("{case}", item.callspec.id) if hasattr(item, "callspec") else title


def seed_of(nonce: str, *parts: str) -> int:
    """A seed derived from the nonce and the parts, which reveals neither."""
    return int.from_bytes(hashlib.sha256("/".join([nonce, *parts]).encode()).digest()[:8], "big")


def nonce_of(seed: int) -> str:
    """The nonce that a seed stands for: `make test SEED=17`, and the grader's further seeds."""
    return f"seed {seed}"
