"""Races on a CPU: assignments of one program whose time is known, and submissions to them."""

from __future__ import annotations

import itertools
import sys
import time
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assignment.manifest import Manifest, parse
from grader.judge.grader import Grader
from grader.judge.timing import device
from grader.judge.timing.rules import RaceRules
from grader.judge.timing.timed_worker import TimedWorker
from grader.judge.worker import Worker

NAIVE = 2.5  # times the reference's time: no ratio that `make races` tries lies near a band's bound
MANIFEST = """
title = "A race"
package = "resource_accounting"
version = "1"
points = 4

[limits]
seconds = 60
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
# It reports what a call takes by `simulate`'s clock, as often as TIMES says.
TIMER = Course(
    "timer",
    "device",
    "time_function",
    """
import statistics

def time_function(function, *, warmup=2, repeats=5, **_):
    for _ in range(warmup + repeats):
        function()
    return [0.01 * TIMES] * repeats

def measured_mfu(flops, seconds, peak_flops):
    return flops / statistics.median(seconds) / peak_flops
""",
    "truth",
)


RULES: dict[str, RaceRules] = {}  # of every course; each test sets its own
TRUE_SECONDS = 0.01  # of a call that a timer times, by `simulate`'s clock


def change_rules(**changes: Any) -> None:
    """Replaces some of the numbers that decide races on a CPU."""
    RULES["cpu"] = replace(RULES["cpu"], **changes)


def simulate(monkeypatch: pytest.MonkeyPatch, **seconds: float | Iterable[float]) -> None:
    """Lets the judge's clock go on by what each run is said to take, and by nothing else.

    Args:
        monkeypatch: takes it back.
        seconds: of each run of a party, always the same or one after the other; by default one for
            `submission` and `reference`, and `NAIVE` for `naive`.
    """
    usual: dict[str, Any] = {"submission": 1.0, "reference": 1.0, "naive": NAIVE}
    takes = {
        party: itertools.repeat(given) if isinstance(given, float) else iter(given)
        for party, given in (usual | seconds).items()
    }
    now, running = 0.0, ""
    real_run, real_call = TimedWorker.run, Worker.call

    def run(self: TimedWorker, start: int) -> Any:
        nonlocal running
        parties = vars(self._test.parties)
        (running,) = [party for party, pool in parties.items() if pool is self._pool]
        return real_run(self, start)

    def call(self: Worker, target: str, args: Any, *others: Any) -> Any:
        nonlocal now
        result = real_call(self, target, args, *others)
        if target == "programs.run" and running:
            now += next(takes[running])
        elif target == "programs.repeat":
            now += TRUE_SECONDS * args[1]
        return result

    monkeypatch.setattr(TimedWorker, "run", run)
    monkeypatch.setattr(Worker, "call", call)
    monkeypatch.setattr(device.Cpu, "clock", lambda self, pid: now)


def measure_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the judge's clock be the worker's CPU time: whoever else uses the cores is not in it."""

    def clock(self: device.Cpu, pid: int) -> float:
        return time.clock_gettime(~pid << 3 | 2)  # as clock_getcpuclockid makes it

    monkeypatch.setattr(device.Cpu, "clock", clock)


def submission(folder: Path, course: Course, text: str) -> Path:
    """A submission whose module is this text."""
    package = folder / "resource_accounting"
    package.mkdir(parents=True)
    (package / f"{course.module}.py").write_text(text)
    return folder


@contextmanager
def grader_for(
    place: Path, course: Course, text: str = "", naive: float = NAIVE
) -> Iterator[Grader]:
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
        with Grader(
            manifest=course.manifest,
            repository=place / "repository",
            solutions=place / "solutions",
            race_rules=RULES,
        ) as grader:
            yield grader
    finally:
        del sys.modules[name]
        if real is not None:
            sys.modules[name] = real
