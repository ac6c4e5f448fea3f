"""What hangs costs what it hangs in, and nothing else; in one lane and in two.

The functions have the reference's names, and another meaning: with 1 they never end.
"""

import itertools
import os
import textwrap
from pathlib import Path

import msgspec
import pytest

from assignment import manifest as manifests
from grader.judge.grader import Grader
from grader.judge.scheduler import Scheduler
from grader.judge.time_budget import TimeBudget
from grader.results.causes import Cause

HANGS = "def {name}(x):\n    while x == 1:\n        {what}\n    return x\n"
WORKS = "def {name}(x):\n    return x\n"
FUNCTIONS = ("row_major_strides", "storage_index", "is_contiguous")
NUMBERS = itertools.count()
TEST = """
@pytest.mark.exercise("{exercise}")
def test_{exercise}_{i}(impl):
    assert impl.strides.{exercise}({x}) == {x}
"""


def repository(folder: Path, hidden: dict[str, list[int]], public: dict[str, list[int]]) -> Path:
    """Tests of each exercise that call its function with these numbers, one each."""
    for name, tests in (("hidden", hidden), ("public", public)):
        (folder / "tests" / name).mkdir(parents=True)
        text = "import pytest\n" + "".join(
            TEST.format(exercise=exercise, i=i, x=x)
            for exercise, calls in tests.items()
            for i, x in enumerate(calls)
        )
        # Python keeps a module by its name: of each repository it is another one.
        (folder / "tests" / name / f"test_{name}_{next(NUMBERS)}_rules.py").write_text(text)
    return folder


def manifest(**depends_on: tuple[str, ...]) -> manifests.Manifest:
    """The three exercises, of 1 s and 4 points each."""
    usual = manifests.load()
    return msgspec.structs.replace(
        usual,
        limits=msgspec.structs.replace(usual.limits, seconds=1.0),
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


@pytest.fixture(scope="module", params=[1, 2], ids=["one lane", "two lanes"])
def grader(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
        with Grader(manifest=manifest(), lanes=request.param) as grader:
            yield grader


@pytest.fixture
def grade(grader, tmp_path, submit):
    """Grades functions that hang, or work, on these tests, in one lane and in two."""

    def run(budget, hidden, public=None, hangs=(), what="pass", depends_on=None, **options):
        text = "import time\n" + "".join(
            (HANGS if name in hangs else WORKS).format(name=name, what=what) for name in FUNCTIONS
        )
        grader.repository = repository(tmp_path / "repository", hidden, public or {})
        grader.manifest, grader.budget = manifest(**(depends_on or {})), budget
        found = grader.grade(submit(strides=options.pop("strides", text)), **options)
        assert found.faults == ()
        return found

    return run


def results(grade):
    return [
        (c.test.partition("_rules::test_")[2], c.cause or c.state)
        for c in grade.checks
        if c.visibility == "hidden"
    ]


TIMEOUT = Cause.TIMEOUT


@pytest.mark.parametrize("what", ["pass", "time.sleep(1)"])
def test_other_tests_of_an_exercise_are_tried_while_the_budget_lasts(grade, what):
    """One call that hangs costs its own test"""
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
    assert found.budget.drawn == 2


def test_what_hangs_ends_at_its_first_limit_once_the_budget_is_spent(grade):
    """And what works is tried all the same, however late it comes"""
    tests = {name: [0, 1, 2, 1] for name in FUNCTIONS}
    found = grade(2, tests, hangs=FUNCTIONS[:2])
    assert [cause for _, cause in results(found)] == [
        *("passed", TIMEOUT, TIMEOUT, TIMEOUT),
        *("passed", TIMEOUT, TIMEOUT, TIMEOUT),
        *("passed", "passed", "passed", "passed"),
    ]
    assert found.score == 6
    assert "not tried" in found.checks[2].detail
    assert "not tried" not in found.checks[1].detail


def test_the_rest_of_the_budget_goes_to_tests_in_the_manifests_order(grade):
    """So that no turn of the lanes decides a mark"""
    tests = {name: [1, 0, 1, 2] for name in FUNCTIONS}
    found = grade(4, tests, hangs=FUNCTIONS)
    assert [cause for _, cause in results(found)] == [
        *(TIMEOUT, "passed", TIMEOUT, TIMEOUT),
        *(TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT),
        *(TIMEOUT, TIMEOUT, TIMEOUT, TIMEOUT),
    ]


def test_what_builds_on_an_exercise_waits_for_its_late_passes(grade):
    """A pass that comes after a test that hangs counts as a pass"""
    tests = {"row_major_strides": [1, 0], "storage_index": [0, 2]}
    depends_on = {"storage_index": ("row_major_strides",)}
    found = grade(9, tests, hangs=FUNCTIONS[:1], depends_on=depends_on)
    assert [cause for _, cause in results(found)] == [TIMEOUT, "passed", "passed", "passed"]


def test_tests_without_points_leave_the_budget_to_those_with(grade):
    """An exercise's public tests end at the first that hangs"""
    tests = {"row_major_strides": [1, 1, 0]}
    found = grade(10, tests, public=tests, hangs=FUNCTIONS)
    public = [c.cause or c.state for c in found.checks if c.visibility == "public"]
    assert public == [TIMEOUT, TIMEOUT, TIMEOUT]
    assert [cause for _, cause in results(found)] == [TIMEOUT, TIMEOUT, "passed"]
    assert found.budget.drawn == 3


def test_public_tests_that_carry_points_are_tried_too(grade):
    tests = {"row_major_strides": [1, 0]}
    found = grade(10, {}, public=tests, hangs=FUNCTIONS, tests="public")
    assert [c.cause or c.state for c in found.checks] == [TIMEOUT, "passed"]


def test_imports_that_hang_draw_on_the_budget(grade):
    """A second each, of the modules that are imported"""
    tests = {name: [0] for name in FUNCTIONS}
    found = grade(100, tests, strides="while True:\n    pass\n")
    assert {c.cause for c in found.checks} == {Cause.IMPORT_FAILED}
    assert found.budget.drawn == 1


def test_what_was_earned_by_the_end_counts_if_the_submission_is_to_blame(grade, monkeypatch):
    """The grading's time limit comes after the budget was spent"""
    monkeypatch.setattr(TimeBudget, "is_over", property(lambda self: self.drawn >= 2))
    tests = {FUNCTIONS[0]: [0, 1, 2], FUNCTIONS[1]: [0, 1, 2]}
    found = grade(2, tests, hangs=FUNCTIONS)
    assert [cause for _, cause in results(found)] == ["passed", TIMEOUT, TIMEOUT] * 2
    assert found.score == pytest.approx(8 / 3)
    assert "not tried: " in found.checks[2].detail


def test_a_machine_that_is_too_slow_is_a_fault_and_no_mark(grader, tmp_path, submit, monkeypatch):
    """The time limit comes, and the submission has spent nothing"""
    over = []
    run = Scheduler.run
    monkeypatch.setattr(TimeBudget, "is_over", property(lambda _: bool(over)))
    monkeypatch.setattr(Scheduler, "run", lambda *args: over.append(True) or run(*args))
    grader.repository = repository(tmp_path / "repository", {FUNCTIONS[0]: [0]}, {})
    grader.manifest, grader.budget = manifest(), 10
    found = grader.grade(submit(strides=WORKS.format(name=FUNCTIONS[0])))
    assert found.score is None
    assert all("raise the time limit" in fault for fault in found.faults)
    assert found.faults


def test_docstring_says_what_the_functions_do():
    """A test of the tests above: the function that hangs is the one that is written"""
    text = textwrap.dedent(HANGS).format(name="f", what="raise StopIteration")
    space = {}
    exec(text, space)
    assert space["f"](0) == 0
    with pytest.raises(StopIteration):
        space["f"](1)
