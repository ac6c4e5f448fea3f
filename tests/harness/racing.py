"""Races on a CPU: assignments of one program whose time is known, and submissions to them."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assignment.manifest import Manifest, parse
from grader.judge.session import Judge

NAIVE = 3.0  # times the reference's time
MANIFEST = """
title = "A race"
package = "resource_accounting"
version = "1"

[limits]
seconds = 10
memory_mib = 512

[[exercise]]
id = "raced"
title = "A program"
chapter = "{module}"
functions = ["{module}.{function}"]
points = 4
hint = "Do no more than you must."
"""
TEST = '''
import pytest

@pytest.mark.exercise("raced")
def test_program(race):
    """A program, beside the reference's and a slow one"""
    race("{program}")
'''


class Course(NamedTuple):
    """A program to race, and the text of a module that takes so many times the reference's time."""

    program: str
    module: str
    function: str
    text: str

    def takes(self, times: float) -> str:
        """The module's text."""
        return self.text.replace("TIMES", str(times))

    @property
    def manifest(self) -> Manifest:
        """An assignment of this race alone, which needs no CUDA device."""
        return parse(MANIFEST.format(module=self.module, function=self.function))


# Each round costs as much as another, so that TIMES is what the clock must show.
HASHES = Course(
    "hash_chain",
    "spin",
    "hash_block",
    """
import hashlib

def hash_block(state, rounds):
    wasted = state
    for _ in range(round(rounds * (TIMES - 1))):
        wasted = hashlib.sha256(wasted).digest()
    for _ in range(rounds):
        state = hashlib.sha256(state).digest()
    return state
""",
)
PRODUCTS = Course(
    "matmul_chain",
    "performance",
    "matmul_chain",
    """
def matmul_chain(x, weights):
    for weight in weights:
        for _ in range(round(TIMES)):
            y = x @ weight
            y = y / y.square().mean(-1, keepdim=True).sqrt()
        x = y
    return x
""",
)


def submission(folder: Path, course: Course, text: str) -> Path:
    """A submission whose module is this text."""
    package = folder / "resource_accounting"
    package.mkdir(parents=True)
    (package / f"{course.module}.py").write_text(text)
    return folder


@contextmanager
def judged(place: Path, course: Course, text: str = "", naive: float = NAIVE) -> Iterator[Judge]:
    """A started judge of a course, in an empty folder.

    Args:
        place: the folder.
        course: the race.
        text: of the reference's module; that which takes its time once, if empty.
        naive: what the naive program takes.
    """
    text = text or course.takes(1.0)
    for name in ("public", "hidden", "timing"):
        (place / "repository" / "tests" / name).mkdir(parents=True)
    test = TEST.format(program=course.program)
    (place / "repository" / "tests" / "timing" / f"test_{course.program}.py").write_text(test)
    submission(place / "solutions", course, text)
    submission(place / "solutions" / "naive", course, course.takes(naive))
    # The survey holds a submission's functions against this.
    name = f"solutions.resource_accounting.{course.module}"
    real, reference = sys.modules.get(name), types.ModuleType(name)
    exec(text, vars(reference))
    sys.modules[name] = reference
    try:
        with Judge(
            manifest=course.manifest,
            repository=place / "repository",
            solutions=place / "solutions",
        ) as judge:
            yield judge
    finally:
        del sys.modules[name]
        if real is not None:
            sys.modules[name] = real
