"""The time budget: code that hangs draws on it, and code that works never fails because of it."""

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


def test_charge_of_a_submission_is_bounded():
    """The bound is the budget, one usual limit for each lane, and one last limit for each group"""
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
    """60 s to start, 30 s for the reference, 25 s outside the budget; half a core does half"""
    budget = TimeBudget(100, TIMES, time_limit=limit, now=Clock())
    tests = [("a public", "test_a::x", 10), ("a hidden", "test_a::slow", 10)]
    budget.plan(tests, cores)
    assert budget.record().seconds == seconds


PLAN = [("a public", "test_a::x", 10)]


def expired_budget(budget: float = 20, cores: float = 2, **used: float) -> TimeBudget:
    """A budget after its time limit of 600 s, of which the submission used `used`."""
    clock = Clock()
    found = TimeBudget(budget, TIMES, time_limit=600, now=clock)
    found.plan(PLAN, cores)
    found.check_end()
    found.draw(used.get("drawn", 0))
    found.charge(used.get("charged", 0))
    clock.now = 600
    return found


@pytest.mark.parametrize(
    "budget",
    [
        expired_budget(drawn=20, charged=20),
        expired_budget(charged=301),  # code that stops just before each limit draws nothing
        expired_budget(cores=0.5, charged=151),
    ],
)
def test_timeout_blames_a_submission_that_used_up_the_time(budget):
    with pytest.raises(SubmissionFailure, match="time was up"):
        budget.check_end()


@pytest.mark.parametrize(
    "budget",
    [
        expired_budget(),
        expired_budget(charged=299),
        expired_budget(drawn=20, charged=5),  # it drew limits of 20 s and was charged far less
        expired_budget(budget=0, drawn=10, charged=11),
        expired_budget(cores=0.1, drawn=10, charged=11),  # the budget was reduced to 0
    ],
)
def test_timeout_blames_no_submission_for_a_slow_machine(budget):
    with pytest.raises(GraderFault, match="too short for this machine"):
        budget.check_end()


def test_reference_times_are_those_of_existing_tests():
    """If a test was renamed, run `grader calibrate`"""
    times = ReferenceTimes.read(REPOSITORY / "tests" / "reference_times.toml")
    assert times.total > 1
    assert times.tests
    for test in times.tests:
        file, name = re.fullmatch(r"(\w+)::(\w+).*", test).groups()
        texts = [path.read_text() for path in REPOSITORY.glob(f"tests/*/{file}.py")]
        assert any(f"def {name}(" in text for text in texts), test


def test_reference_times_are_read_from_a_file(tmp_path):
    file = tmp_path / "times.toml"
    file.write_text('total = 31.5\n[tests]\n"test_a::x[1]" = 0.25\n')
    assert ReferenceTimes.read(file) == ReferenceTimes(31.5, {"test_a::x[1]": 0.25})
    assert ReferenceTimes.read(tmp_path / "none.toml") == ReferenceTimes()
