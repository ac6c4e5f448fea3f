"""A call that hangs costs its own test and nothing else, in one lane and in two.

The functions have the reference's names but other bodies: called with 1, they never end.
"""

import itertools
import os
from pathlib import Path

import msgspec
import pytest

from assignment import manifest as manifests
from grader.causes import Cause
from grader.judge.schedule import Scheduler
from grader.supervisor import budget as budgets
from grader.supervisor import meter
from grader.supervisor.budget import TimeBudget
from grader.supervisor.pool import WorkerPool
from tests.harness.conftest import lent, long_unless

HANGS = "def {name}(x):\n    while x == 1:\n        {what}\n    return x\n"
WORKS = "def {name}(x):\n    return x\n"
FUNCTIONS = ("row_major_strides", "storage_index", "is_contiguous")
NUMBERS = itertools.count()
UNIT = 0.5  # seconds that a test may take; budgets are in these
TEST = """
@pytest.mark.exercise("{exercise}")
def test_{exercise}_{i}(impl):
    assert impl.strides.{exercise}({x}) == {x}
"""


def write_repository(
    folder: Path, hidden: dict[str, list[int]], public: dict[str, list[int]]
) -> Path:
    """Writes tests of each exercise: one for each number, which calls the function with it."""
    for name, tests in (("hidden", hidden), ("public", public)):
        (folder / "tests" / name).mkdir(parents=True)
        text = "import pytest\n" + "".join(
            TEST.format(exercise=exercise, i=i, x=x)
            for exercise, calls in tests.items()
            for i, x in enumerate(calls)
        )
        # Module names must differ between repositories, because Python caches modules by name.
        (folder / "tests" / name / f"test_{name}_{next(NUMBERS)}_rules.py").write_text(text)
    return folder


def manifest(**depends_on: tuple[str, ...]) -> manifests.Manifest:
    """The three exercises, of 4 points each; an exercise has 0.3 units."""
    usual = manifests.load()
    return msgspec.structs.replace(
        usual,
        limits=msgspec.structs.replace(usual.limits, seconds=UNIT),
        exercise_seconds=0.3 * UNIT,
        exercise=tuple(
            manifests.Exercise(
                id=name,
                title=name,
                chapter="strides",
                functions=(f"strides.{name}",),
                points=4,
                hint="",
                depends_on=depends_on.get(name, ()),
            )
            for name in FUNCTIONS
        ),
    )


LANES = {"argvalues": [1, 2], "ids": ["one lane", "two lanes"]}
in_each_number_of_lanes = pytest.mark.parametrize("lanes", **LANES, indirect=True)


@pytest.fixture(params=long_unless([1, 2], 2), ids=LANES["ids"])
def lanes(request):
    return request.param


@pytest.fixture
def laned(grader, lanes, monkeypatch):
    """A grader with this number of lanes, whatever this machine has."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(budgets, "_SHORT_TEST", 0.0)  # or shares would have more than that
    with lent(grader, _lanes=lanes, manifest=manifest(), repository=None, budget=None):
        yield grader


@pytest.fixture
def grade(laned, tmp_path, submit):
    """Grades functions, of which those in `hangs` hang, with these tests and this budget."""

    def run(
        budget, hidden, public=None, hangs=(), what="time.sleep(1)", depends_on=None, **options
    ):
        text = "import time\n" + "".join(
            (HANGS if name in hangs else WORKS).format(name=name, what=what) for name in FUNCTIONS
        )
        laned.repository = write_repository(tmp_path / "repository", hidden, public or {})
        laned.manifest, laned.budget = manifest(**(depends_on or {})), budget * UNIT
        found = laned.grade(submit(strides=options.pop("strides", text)), **options)
        assert found.faults == ()
        return found

    return run


def results(grade):
    return [
        (c.test.partition("_rules::test_")[2], c.cause or c.state)
        for c in grade.checks
        if c.visibility == "hidden"
    ]


TIMEOUT = Cause.TIMEOUT  # after sleep, since a loop would keep this machine busy
NOT_TRIED = Cause.NO_TIME_LEFT


@pytest.mark.parametrize("what", ["pass", "time.sleep(1)"])
def test_other_tests_of_an_exercise_run_while_the_budget_lasts(grade, what):
    """A call that hangs costs its own test only"""
    found = grade(
        10, {"row_major_strides": [0, 1, 2, 1, 3]}, hangs=["row_major_strides"], what=what
    )
    assert [cause for _, cause in results(found)] == [
        "passed",
        TIMEOUT,
        "passed",
        TIMEOUT,
        "passed",
    ]
    assert found.budget.drawn == pytest.approx(2 * UNIT, abs=0.2 * UNIT)


@in_each_number_of_lanes
def test_exercise_ends_with_its_share_once_the_budget_is_spent(grade):
    """Exercises that work are still tested"""
    tests = {name: [0, 1, 2, 0] for name in FUNCTIONS}
    found = grade(1, tests, hangs=FUNCTIONS[:2])
    assert [cause for _, cause in results(found)] == [
        *("passed", TIMEOUT, NOT_TRIED, NOT_TRIED),
        *("passed", NOT_TRIED, NOT_TRIED, NOT_TRIED),
        *("passed", "passed", "passed", "passed"),
    ]
    assert found.score == 6
    assert "not tried" in found.checks[5].detail
    assert "not tried" not in found.checks[1].detail


@pytest.mark.parametrize("budget", [0, 2, 100])
def test_sleep_below_the_limit_counts(grade, budget, monkeypatch):
    """What sleeps two thirds of its limit everywhere ends about as early as what hangs.

    A judge that is stopped during a sleep charges a sample more or less: no number is exact here.
    """
    monkeypatch.setattr(meter, "_MAX_SAMPLE_SECONDS", 0.075)
    tests = {name: [1, 1, 1] for name in FUNCTIONS}
    text = "import time\n" + "".join(
        f"def {name}(x):\n    time.sleep({0.66 * UNIT})\n    return 0\n" for name in FUNCTIONS
    )
    found = grade(budget, tests, strides=text)
    causes = [cause for _, cause in results(found)]
    tried = causes.count(Cause.WRONG_ANSWER)
    assert tried + causes.count(NOT_TRIED) == 9
    assert (tried > 5) == (budget > 9)
    assert tried <= 2 * budget + 1
    assert sum(check.charged for check in found.checks) < found.budget.bound


@in_each_number_of_lanes
def test_rest_of_the_budget_goes_to_tests_in_the_manifests_order(grade):
    """Otherwise the order in which lanes take tests would decide a mark"""
    tests = {name: [1, 0, 1, 2] for name in FUNCTIONS}
    found = grade(4, tests, hangs=FUNCTIONS)
    assert [cause for _, cause in results(found)] == [
        *(TIMEOUT, "passed", TIMEOUT, "passed"),
        *(TIMEOUT, "passed", TIMEOUT, NOT_TRIED),
        *(NOT_TRIED, NOT_TRIED, NOT_TRIED, NOT_TRIED),
    ]


def test_an_exercise_runs_though_what_it_builds_on_fails(grade):
    tests = {"row_major_strides": [1, 1], "storage_index": [0, 0]}
    depends_on = {"storage_index": ("row_major_strides",)}
    found = grade(9, tests, hangs=FUNCTIONS[:1], what="raise KeyError", depends_on=depends_on)
    assert [score.points for score in found.exercises] == [0, 4]


def test_public_tests_leave_the_budget_to_hidden_ones(grade):
    """They carry no points, and end at an exercise's first test that hangs"""
    tests = {"row_major_strides": [1, 1, 0]}
    found = grade(10, tests, public=tests, hangs=FUNCTIONS)
    public = [c.cause or c.state for c in found.checks if c.visibility == "public"]
    assert public == [TIMEOUT, NOT_TRIED, NOT_TRIED]
    assert [cause for _, cause in results(found)] == [TIMEOUT, TIMEOUT, "passed"]
    assert found.budget.drawn == pytest.approx(2 * UNIT, abs=0.2 * UNIT)


def test_no_worker_of_a_public_test_lives_beside_hidden_ones(grade, monkeypatch):
    kept = []
    start = WorkerPool.start

    def look(pool, *args, **options):
        kept.append(pool._kept)
        return start(pool, *args, **options)

    monkeypatch.setattr(WorkerPool, "start", look)
    grade(10, {"row_major_strides": [0]}, public={"row_major_strides": [0]})
    assert kept == [None] * len(kept) != []


def test_public_tests_that_carry_points_all_run(grade):
    tests = {"row_major_strides": [1, 0]}
    found = grade(10, {}, public=tests, hangs=FUNCTIONS, tests="public")
    assert [c.cause or c.state for c in found.checks] == [TIMEOUT, "passed"]


def test_imports_that_hang_draw_on_the_budget(grade):
    """One unit for each module"""
    tests = {name: [0] for name in FUNCTIONS}
    found = grade(100, tests, strides="import time\ntime.sleep(1000)\n")
    assert {c.cause for c in found.checks} == {Cause.IMPORT_FAILED}
    assert found.budget.drawn == UNIT


def test_points_count_after_a_timeout_that_the_submission_caused(grade, monkeypatch):
    """The grading's time limit comes after the budget was spent"""
    monkeypatch.setattr(TimeBudget, "is_over", property(lambda self: self.drawn >= 2 * UNIT))
    tests = {FUNCTIONS[0]: [0, 1, 2], FUNCTIONS[1]: [0, 1, 2]}
    found = grade(2, tests, hangs=FUNCTIONS)
    assert [cause for _, cause in results(found)] == [
        *("passed", TIMEOUT, "passed"),
        *("passed", TIMEOUT, NOT_TRIED),
    ]
    assert found.score == 4.01
    assert "not tried: " in found.checks[5].detail


def test_timeout_of_a_slow_machine_is_a_fault_and_gives_no_mark(
    laned, tmp_path, submit, monkeypatch
):
    """The time limit comes although the submission has spent nothing"""
    over = []
    run = Scheduler.run
    monkeypatch.setattr(TimeBudget, "is_over", property(lambda _: bool(over)))
    monkeypatch.setattr(Scheduler, "run", lambda *args: over.append(True) or run(*args))
    laned.repository = write_repository(tmp_path / "repository", {FUNCTIONS[0]: [0]}, {})
    laned.manifest, laned.budget = manifest(), 10
    found = laned.grade(submit(strides=WORKS.format(name=FUNCTIONS[0])))
    assert found.score is None
    assert all("raise the time limit" in fault for fault in found.faults)
    assert found.faults
