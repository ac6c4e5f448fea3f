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

NAIVE = 2.5  # times the reference's time: no ratio that `make races` tries lies near a band's bound
MANIFEST = """
title = "A race"
package = "resource_accounting"
version = "1"
points = 4

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
def test_program({fixture}):
    """A program, beside the reference's and a slow one"""
    {fixture}("{program}")
'''


class Course(NamedTuple):
    """A program to race, and the text of a module that takes so many times the reference's time."""

    program: str
    module: str
    function: str
    text: str
    fixture: str = "race"

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
            y = y.maximum(0.8 * y)
            y = y / y.square().mean(-1, keepdim=True).sqrt()
        x = y
    return x
""",
)

RECOMPUTE = Course(
    "recompute",
    "recompute",
    "checkpointed_forward",
    """
from torch.utils.checkpoint import checkpoint

def best_segments(layers):
    return max(1, round(8 / TIMES))

def checkpointed_forward(layers, x, segments):
    def part(x, mine):
        for layer in mine:
            x = layer(x)
        return x
    if segments == 1:
        return part(x, layers)
    size = -(-len(layers) // segments)
    for start in range(0, len(layers), size):
        x = checkpoint(part, x, layers[start : start + size], use_reentrant=False)
    return x
""",
    "fits",
)
TIMER = Course(
    "timer",
    "device",
    "time_function",
    """
import statistics, time

def time_function(function, *, warmup=2, repeats=5, **_):
    for _ in range(warmup):
        function()
    seconds = []
    for _ in range(repeats):
        begun = time.perf_counter()
        function()
        seconds.append((time.perf_counter() - begun) * TIMES)
    return seconds

def measured_mfu(flops, seconds, peak_flops):
    return flops / statistics.median(seconds) / peak_flops
""",
    "truth",
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
    test = TEST.format(program=course.program, fixture=course.fixture)
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
