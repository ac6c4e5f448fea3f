"""The time budget: code that hangs draws on it, and code that works never fails because of it."""

import os
import re

import pytest

from grader.faults import GraderFault, SubmissionFailure
from grader.supervisor.budget import ReferenceTimes, TimeBudget
from tests.harness.conftest import REPOSITORY

TIMES = ReferenceTimes(30.0, {"test_a::slow": 0.2, "test_a::heavy": 2.0})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def planned(tests, imports=(), cores=2, **options) -> TimeBudget:
    """A budget of 100 s with a plan for these tests; a share has at least 2 s."""
    budget = TimeBudget(100, TIMES, least_share=2, **options)
    budget.plan(tests, imports, cores)
    return budget


TESTS = [("a", "test_a::x", 10), ("b", "test_a::slow", 10), ("b", "test_a::y", 10)]


def test_a_share_is_20_times_what_the_reference_needs():
    """0.02 s for a test that is not in the file, and at least 2 s for an exercise"""
    budget = planned([*TESTS, ("c", "test_a::heavy", 10)])
    assert budget.share_left("a") == 2
    assert budget.share_left("b") == pytest.approx(4 + 0.4)
    assert budget.share_left("c") == 10, "no more than its tests' limits"


def test_a_test_may_use_what_is_left_of_its_exercises_share():
    budget = planned(TESTS)
    assert budget.limit("a", 10) == 2
    budget.charge("a", 0.5, 10)
    assert budget.limit("a", 10) == 1.5
    assert budget.limit("a", 1) == 1
    assert budget.limit("b", 10) == pytest.approx(4.4), "another share"
    assert budget.drawn == 0


def test_a_test_has_its_usual_limit_and_draws_once_the_share_is_spent():
    budget = planned(TESTS)
    budget.charge("a", 2, 10)
    assert budget.share_left("a") == 0
    assert budget.limit("a", 10) == 10
    budget.charge("a", 9.5, 10)
    assert budget.drawn == 10
    assert budget.charged == 11.5


@pytest.mark.parametrize(
    ("charged", "drawn"), [(0, 0), (0.2, 0.25), (1.1, 2), (4, 4), (8.9, 10), (9.1, 10), (10.1, 10)]
)
def test_what_is_drawn_is_rounded_up(charged, drawn):
    """What a clock shows of the same sleep differs a little from grading to grading"""
    budget = planned(TESTS)
    budget.end_share("a")
    budget.charge("a", charged, 10)
    assert budget.drawn == drawn


def test_imports_draw_if_they_take_long():
    budget = planned(TESTS)
    budget.charge_import(0.9, 10)
    assert budget.drawn == 0
    assert budget.import_limit(10) == 10
    budget.charge_import(100, 100)
    assert budget.drawn == 100
    assert budget.import_limit(10) == 1


def test_lanes_share_what_is_drawn_and_used():
    """A process that was forked later draws on the same budget"""
    budget = planned(TESTS)
    pid = os.fork()
    if pid == 0:
        budget.lane = 1
        budget.charge("a", 2, 10)
        budget.charge("a", 100, 100)
        os._exit(0)
    os.waitpid(pid, 0)
    assert budget.share_left("a") == 0
    assert budget.drawn == 100
    assert budget.is_spent


def test_charge_of_a_submission_is_bounded():
    """By the budget, all shares, 1 s for each of a module's imports, one limit, and free waits"""
    budget = planned(TESTS, imports=[10, 10])
    assert budget.record().bound == pytest.approx(100 + 2 + 4.4 + 3 * 2 + 10 + 30)
    assert budget.record().seconds == 100


@pytest.mark.parametrize(
    ("limit", "cores", "seconds"),
    [(600, 2, 100), (600, 0.5, 100), (236.4, 2, 100), (216.4, 2, 80), (216.4, 0.5, 1.8)],
)
def test_the_budget_fits_into_a_time_limit(limit, cores, seconds):
    """60 s to start, 30 s for the reference, 46.4 s outside the budget; half a core does half"""
    budget = planned(TESTS, cores=cores, time_limit=limit, now=Clock())
    assert budget.record().seconds == pytest.approx(seconds)


PLAN = [("a public", "test_a::x", 10)]


def expired_budget(budget: float = 20, cores: float = 2, **used: float) -> TimeBudget:
    """A budget after its time limit of 600 s, of which the submission used `used`."""
    clock = Clock()
    found = TimeBudget(budget, TIMES, time_limit=600, now=clock)
    found.plan(PLAN, (), cores)
    found.check_end()
    found._drawn[0], found._charged[0] = used.get("drawn", 0), used.get("charged", 0)
    clock.now = 600
    return found


BLAMED = [
    expired_budget(drawn=20, charged=20),
    expired_budget(charged=301),  # code that stops just before each limit draws nothing
    expired_budget(cores=0.5, charged=151),
]
SLOW_MACHINES = [
    expired_budget(),
    expired_budget(charged=299),
    expired_budget(drawn=20, charged=5),  # it drew limits of 20 s and was charged far less
    expired_budget(budget=0, drawn=10, charged=11),
    expired_budget(cores=0.1, drawn=10, charged=11),  # the budget was reduced to 0
]


@pytest.mark.parametrize("budget", [*BLAMED, *SLOW_MACHINES])
def test_timeout_blames_a_submission_only_if_it_used_up_the_time(budget):
    blamed = SubmissionFailure, "time was up"
    error, words = blamed if budget in BLAMED else (GraderFault, "too short for this machine")
    with pytest.raises(error, match=words):
        budget.check_end()


def test_reference_times_are_those_of_existing_tests():
    """If a test was renamed, run `grader author measure-reference`"""
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
