"""Fixtures of the tests of races: short races whose clock is simulated."""

import itertools
import math
import statistics
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from grader.judge.grader import Grader
from grader.races import device
from grader.races.statistic import RULES, Interval
from grader.results.record import from_json, to_json
from grader.supervisor.worker import Worker
from tests.harness.races import racing
from tests.harness.races.hash_chain import HashChain

BLOCKS = 3  # of a race
NAIVE_BLOCKS = 1  # before them


def interval(ds: list[float], width: float = 1.0) -> Interval:
    """The median alone, since simulated durations leave no doubt; or an interval around it."""
    ratio = math.exp(statistics.median(ds))
    return Interval(ratio, ratio / width, ratio * width)


@pytest.fixture(scope="session")
def hash_grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """A started grader of races of hash chains; `racing.grader_for` makes it grade another race."""
    with racing.grader_for(tmp_path_factory.mktemp("hashes"), racing.HASHES) as grader:
        yield grader


@pytest.fixture
def short_races(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Makes races short, with a simulated clock, and lets other races run beside them."""
    monkeypatch.setattr(device, "LOCKS", tmp_path)
    # On the CPU, whatever this machine has.
    monkeypatch.setattr(device, "find", lambda: None)
    monkeypatch.setattr(HashChain, "sizes_on", lambda *_: {"blocks": 4, "rounds": 10})
    racing.RULES["cpu"] = replace(
        RULES["cpu"],
        block_seconds=0.0,
        naive_blocks=NAIVE_BLOCKS,
        looks=(BLOCKS,),
        interval=interval,
        slack=60.0,
    )
    racing.simulate(monkeypatch)


@pytest.fixture
def by_cpu_time(short_races: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times runs by their worker's CPU time; the rules tolerate its few per cent of noise."""
    racing.change_rules(
        max_drift=math.inf,
        max_spread=math.inf,
        naive_blocks=4,
        least_span=0.0,
        # So wide that twice the reference's time gets full marks, and eight times none.
        interval=partial(interval, width=2.5),
    )
    racing.measure_cpu_time(monkeypatch)


def grade_once(grader, submission):
    """Grades a submission; returns the grade and its only check."""
    grade = grader.grade(submission)
    assert grade.faults == ()
    (check,) = grade.checks
    assert check.visibility == "hidden"
    assert from_json(to_json(grade)) == grade
    return grade, check


def honest_submission(folder):
    return racing.submission(folder / "in", racing.HASHES, racing.HASHES.module_text(1.0))


@pytest.fixture
def raced(tmp_path):
    """Grades a module, again and again: `raced(grader, setup, text)`. By default honest hashes."""
    numbers = itertools.count()

    def graded(grader, setup=racing.HASHES, text=""):
        folder = tmp_path / f"{next(numbers)}"
        text = text or setup.module_text(1.0)
        return grade_once(grader, racing.submission(folder, setup, text))

    return graded


@pytest.fixture
def before_calls(monkeypatch):
    """Has something done before each call: `before_calls(lambda worker, target, args: …)`."""

    def install(do):
        real = Worker.call

        def call(self, target, args, kwargs, seconds=None):
            do(self, target, args)
            return real(self, target, args, kwargs, seconds)

        monkeypatch.setattr(Worker, "call", call)

    return install
