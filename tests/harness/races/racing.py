"""Helpers for races on a CPU: assignments of one program, and submissions of known speed."""

from __future__ import annotations

import itertools
import sys
import time
import types
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assignment.manifest import Manifest, parse
from grader.judge.grader import Grader
from grader.races import device
from grader.races.statistic import RULES as USUAL_RULES
from grader.races.statistic import RaceRules
from grader.races.timed_worker import TimedWorker
from grader.supervisor.worker import Worker
from tests.harness.conftest import lent
from tests.harness.races import hash_chain

# The naive program's time, in times of the reference's. With it no ratio that the campaign
# `races` tries is near the bound of a band.
NAIVE = 2.5
MANIFEST = """
title = "A race"
package = "resource_accounting"
version = "1"
points = 4

[limits]
LIMITS

[[exercise]]
id = "raced"
title = "A program"
chapter = "{module}"
functions = ["{module}.{function}"]
points = 4
hint = "Do no more than you must."
"""
LIMITS = {
    "cpu": "seconds = 60\nmemory_mib = 512",
    # libcuda reserves gigabytes of addresses.
    "cuda": "seconds = 60\nmemory_mib = 16384\naddress_space = false",
}
TEST = '''
import pytest

@pytest.mark.exercise("raced")
def test_program({fixture}):
    """A program, beside the reference's and a slow one"""
    {fixture}("{program}")
'''


class RaceSetup(NamedTuple):
    """A program to race, and a template of the submission's module; TIMES is its slowdown."""

    program: str
    module: str
    function: str
    text: str
    fixture: str = "race"

    def module_text(self, times: float) -> str:
        """The text of a module that takes `times` times the reference's time."""
        return self.text.replace("TIMES", str(times))

    def manifest(self, kind: str = "cpu") -> Manifest:
        """An assignment with this race as its only exercise, which needs no CUDA device."""
        text = MANIFEST.replace("LIMITS", LIMITS[kind])
        return parse(text.format(module=self.module, function=self.function))


# All rounds cost the same, so the clock must show TIMES.
HASHES = RaceSetup(
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
PRODUCTS = RaceSetup(
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

RECOMPUTE = RaceSetup(
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
# It reports TIMES the duration of a call by `simulate`'s clock.
TIMER = RaceSetup(
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


RULES: dict[str, RaceRules] = {}  # shared by all graders made here; each test sets its own
TRUE_SECONDS = 0.01  # of a call that is timed, by `simulate`'s clock


def change_rules(**changes: Any) -> None:
    """Replaces some of the rules of races on a CPU."""
    RULES["cpu"] = replace(RULES["cpu"], **changes)


def simulate(monkeypatch: pytest.MonkeyPatch, **seconds: float | Iterable[float]) -> None:
    """Simulates the judge's clock: it advances only by the given duration of each run.

    Args:
        monkeypatch: undoes it after the test.
        seconds: for each party the duration of all its runs, or an iterable of one for each run. By
            default 1 for `submission` and `reference`, and `NAIVE` for `naive`.
    """
    usual: dict[str, Any] = {"submission": 1.0, "reference": 1.0, "naive": NAIVE}
    module_text = {
        party: itertools.repeat(given) if isinstance(given, float) else iter(given)
        for party, given in (usual | seconds).items()
    }
    now, running = 0.0, ""
    real_run, real_call = TimedWorker.run, Worker.call

    def run(self: TimedWorker, starts: Sequence[int], seconds: float) -> Any:
        nonlocal running
        parties = vars(self._test.parties)
        (running,) = [party for party, pool in parties.items() if pool is self._pool]
        return real_run(self, starts, seconds)

    def call(self: Worker, target: str, args: Any, *others: Any) -> Any:
        nonlocal now
        result = real_call(self, target, args, *others)
        if target == "programs.run" and running:
            now += next(module_text[running])
        elif target == "programs.repeat":
            now += TRUE_SECONDS * args[1]
        return result

    monkeypatch.setattr(TimedWorker, "run", run)
    monkeypatch.setattr(Worker, "call", call)
    monkeypatch.setattr(device.Cpu, "clock", lambda self, pid: now)


def measure_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the judge's clock the worker's CPU time, which no other process can disturb."""

    def clock(self: device.Cpu, pid: int) -> float:
        return time.clock_gettime(~pid << 3 | 2)  # the id that clock_getcpuclockid(3) computes

    monkeypatch.setattr(device.Cpu, "clock", clock)


def submission(folder: Path, setup: RaceSetup, text: str) -> Path:
    """Writes a submission whose module has this text."""
    package = folder / "resource_accounting"
    package.mkdir(parents=True)
    (package / f"{setup.module}.py").write_text(text)
    return folder


@contextmanager
def grader_for(
    place: Path,
    setup: RaceSetup,
    text: str = "",
    naive: float = NAIVE,
    kind: str = "cpu",
    started: Grader | None = None,
) -> Iterator[Grader]:
    """A started grader of one race.

    Args:
        place: an empty folder.
        setup: the race.
        text: of the reference's module; by default the module whose TIMES is 1.
        naive: TIMES of the naive program.
        kind: of the device that its limits are for.
        started: a grader of another race, which grades this one meanwhile.
    """
    text = text or setup.module_text(1.0)
    for name in ("public", "hidden", "timing"):
        (place / "repository" / "tests" / name).mkdir(parents=True)
    test = TEST.format(program=setup.program, fixture=setup.fixture)
    (place / "repository" / "tests" / "timing" / f"test_{setup.program}.py").write_text(test)
    submission(place / "solutions", setup, text)
    submission(place / "solutions" / "naive", setup, setup.module_text(naive))
    # The preflight check compares a submission's signatures with this module.
    reference = types.ModuleType(f"solutions.resource_accounting.{setup.module}")
    exec(text, vars(reference))
    given: dict[str, Any] = {
        "manifest": setup.manifest(kind),
        "repository": place / "repository",
        "solutions": place / "solutions",
    }
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setitem(sys.modules, reference.__name__, reference)
        if started is None:
            with hash_chain.known_to_zygotes():
                rules = RULES if kind == "cpu" else USUAL_RULES
                started = stack.enter_context(Grader(**given, race_rules=rules))
        else:
            stack.enter_context(lent(started, **given))
        yield started
