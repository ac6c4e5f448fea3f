"""The budget of a grading: what hangs draws on it, and what works never fails because of it."""

import os
import re

import pytest

from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.time_budget import ReferenceTimes, TimeBudget
from tests.harness.conftest import REPOSITORY

TIMES = ReferenceTimes(30.0, {"test_a::slow": 0.2, "test_a::heavy": 2.0})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_test_has_its_usual_limit_until_the_budget_is_spent():
    budget = TimeBudget(20, TIMES)
    assert budget.limit("test_a::quick", 10) == 10
    budget.draw(10)
    assert budget.limit("test_a::quick", 10) == 10
    budget.draw(10)
    assert budget.limit("test_a::quick", 10) == 1
    assert budget.limit("test_a::slow", 10) == 4
    assert budget.limit("test_a::heavy", 10) == 10


def test_lanes_share_what_is_drawn():
    """A process that was forked later draws on the same budget"""
    budget = TimeBudget(20, TIMES)
    budget.draw(10)
    pid = os.fork()
    if pid == 0:
        budget.lane = 1
        budget.draw(10)
        os._exit(0)
    os.waitpid(pid, 0)
    assert budget.drawn == 20
    assert budget.is_spent


def test_what_a_submission_can_be_charged_is_bounded():
    """The budget, a test in each lane when it runs out, and one last limit for each exercise"""
    budget = TimeBudget(100, TIMES)
    tests = [("a public", "test_a::x", 10), ("a hidden", "test_a::slow", 10)]
    budget.plan([*tests, ("a hidden", "test_a::y", 10)], cores=2)
    assert budget.record().bound == 100 + 2 * 10 + 1 + 4
    assert budget.record().seconds == 100


@pytest.mark.parametrize(
    ("limit", "cores", "seconds"),
    [(600, 2, 100), (600, 0.5, 100), (200, 2, 85), (200, 0.5, 15), (100, 0.5, 0)],
)
def test_the_budget_fits_into_a_time_limit(limit, cores, seconds):
    """60 s to start, the reference's 30 s, 25 s beside the budget; half a core does half"""
    budget = TimeBudget(100, TIMES, time_limit=limit, now=Clock())
    tests = [("a public", "test_a::x", 10), ("a hidden", "test_a::slow", 10)]
    budget.plan(tests, cores)
    assert budget.record().seconds == seconds


def test_the_end_blames_the_submission_if_it_spent_the_budget():
    clock = Clock()
    budget = TimeBudget(20, TIMES, time_limit=60, now=clock)
    budget.check_end()
    clock.now = 60
    with pytest.raises(GraderFault, match=r"too short for this machine.*spent 0 of its 20 s"):
        budget.check_end()
    budget.draw(20)
    with pytest.raises(SubmissionFailure, match="time was up"):
        budget.check_end()


def test_the_end_blames_code_that_stops_just_before_each_limit():
    """It draws nothing, but was charged as much as code that hangs everywhere"""
    clock = Clock()
    budget = TimeBudget(20, TIMES, time_limit=600, now=clock)
    budget.plan([("a public", "test_a::x", 10)], cores=2)
    clock.now = 600
    budget.charge(40)
    with pytest.raises(GraderFault, match="was charged 40 s in all"):
        budget.check_end()
    budget.charge(1)
    with pytest.raises(SubmissionFailure, match="time was up"):
        budget.check_end()


def test_the_end_blames_no_submission_that_never_had_a_budget():
    """On a machine too slow for any budget"""
    clock = Clock()
    budget = TimeBudget(20, TIMES, time_limit=60, now=clock)
    budget.plan([("a", "x", 10)], cores=0.1)
    clock.now = 60
    with pytest.raises(GraderFault, match="raise the time limit"):
        budget.check_end()


def test_times_in_the_repository_are_of_tests_that_are_there():
    """After a test was renamed: `grader calibrate`"""
    times = ReferenceTimes.read(REPOSITORY / "tests" / "reference_times.toml")
    assert times.total > 1
    assert times.tests
    for test in times.tests:
        file, name = re.fullmatch(r"(\w+)::(\w+).*", test).groups()
        texts = [path.read_text() for path in REPOSITORY.glob(f"tests/*/{file}.py")]
        assert any(f"def {name}(" in text for text in texts), test


def test_times_of_the_reference_are_read(tmp_path):
    file = tmp_path / "times.toml"
    file.write_text('total = 31.5\n[tests]\n"test_a::x[1]" = 0.25\n')
    assert ReferenceTimes.read(file) == ReferenceTimes(31.5, {"test_a::x[1]": 0.25})
    assert ReferenceTimes.read(tmp_path / "none.toml") == ReferenceTimes()
