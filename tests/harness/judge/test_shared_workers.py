"""Tests of one exercise share a worker, whose modules are imported anew for each."""

import time
from types import SimpleNamespace

import pytest

from assignment.manifest import Limits
from grader.faults import SubmissionFailure
from grader.judge import implementation as implementations
from grader.judge.implementation import GradedImplementation
from tests.harness.conftest import lent

MODULE = """
import os
import random
import signal
import sys

kept = []  # a worker has this until its test ends
calls = vars(sys).setdefault("calls", [])  # and this until its own end


def count():
    calls.append(None)
    return len(calls)


def keep():
    kept.append(None)
    return len(kept)


def state():
    return hash(random.getstate())


def say(text):
    print(text)


def calls_it(function):
    return function()


def works_later():
    signal.signal(signal.SIGALRM, lambda *_: works())
    signal.setitimer(signal.ITIMER_REAL, 0.01)


def works():
    return sum(i * i for i in range(10**6))


def dies():
    os._exit(3)


def holds(mib):
    bytearray(mib * 2**20)
"""
LIMITS = Limits(seconds=60.0, memory_mib=512)


@pytest.fixture
def next_test(sandboxed):
    """Makes the `impl` of the next test in a group; `close` ends the test."""
    first = sandboxed(toy=MODULE, limits=LIMITS)
    made = []

    def make(group="group", seed=1):
        made.append(GradedImplementation(first._pool, LIMITS, seed, group))
        return made[-1]

    yield make
    for implementation in made:
        implementation.close()


def test_tests_of_a_group_share_a_worker(next_test):
    one = next_test()
    assert one.toy.count() == 1
    one.close()
    other = next_test()
    assert other.toy.count() == 2
    other.close()
    assert next_test("another group").toy.count() == 1


def test_modules_keep_nothing_for_the_next_test(next_test):
    for _ in range(2):
        implementation = next_test()
        assert [implementation.toy.keep() for _ in range(2)] == [1, 2]
        implementation.close()
    assert next_test().toy.count() == 1


def test_worker_ends_with_its_exercises_turn(next_test):
    one = next_test()
    assert one.toy.count() == 1
    one.close()
    one._pool.end_kept("another group")
    assert next_test().toy.count() == 1


def test_worker_that_a_call_has_ended_is_not_kept(next_test):
    def fails():
        pytest.fail("as `pytest.raises` does")

    one = next_test()
    with pytest.raises(pytest.fail.Exception):
        one.toy.calls_it(fails)
    one.close()
    assert next_test().toy.count() == 1


def test_a_kept_worker_does_nothing_beside_another(next_test):
    """Nothing would be charged for what it does meanwhile"""
    one = next_test()
    assert one.toy.count() == 1
    pid, pool = one._worker.process.pid, one._pool
    one.close()
    alone = next_test("")
    assert alone.toy.count() == 1
    assert pool._kept is not None
    process = pool._kept[1].process.state
    assert process.activity() == "stopped"
    alone.close()
    again = next_test()
    assert (again.toy.count(), again._worker.process.pid) == (2, pid)


@pytest.mark.parametrize("group", ["", "group"])
def test_without_a_group_no_worker_is_shared(next_test, group):
    for implementation in (next_test(group), next_test("")):
        assert implementation.toy.count() == 1
        implementation.close()


def test_shared_worker_is_seeded_for_each_test(next_test):
    states = []
    for group, seed in (("group", 1), ("group", 2), ("", 2), ("group", 1)):
        implementation = next_test(group, seed)
        states.append(implementation.toy.state())
        implementation.close()
    assert states[0] == states[3] != states[1] == states[2]


def test_each_test_has_its_own_output_and_charge(next_test):
    one = next_test()
    one.toy.say("x" * 100_000 + "first")
    one.toy.works()
    one.close()
    assert one.output == ("x" * 100_000 + "first\n")[-64 * 1024 :]
    other = next_test()
    assert other.toy.count() == 1
    assert 0 <= other.charged < one.charged
    other.toy.say("second")
    other.close()
    assert other.output.strip() == "second"
    assert 0 <= other.charged < one.charged


def test_what_a_worker_does_between_tests_is_charged(next_test):
    one = next_test()
    one.toy.works_later()
    one.close()
    time.sleep(0.5)
    other = next_test()
    assert other.toy.count() == 1
    assert other.charged > one.charged


def test_after_a_worker_has_died_the_next_test_has_another(next_test):
    one = next_test()
    one.toy.count()
    with pytest.raises(SubmissionFailure):
        one.toy.dies()
    one.close()
    assert next_test().toy.count() == 1


def test_memory_is_measured_in_a_worker_of_its_own(next_test):
    one = next_test()
    one.toy.holds(200)
    one.close()
    other = next_test()
    assert other.toy.count() == 1
    idle = other.peak_rss()
    assert other.toy.count() == 1
    other.toy.holds(100)
    assert 80 * 2**20 < other.peak_rss() - idle < 150 * 2**20


def test_after_a_test_that_wrote_files_the_next_has_another_worker(next_test):
    one = next_test()
    assert (one.toy.count(), one.scratch.name != "") == (1, True)
    one.close()
    assert next_test().toy.count() == 1


@pytest.mark.parametrize(("shared", "expected"), [(True, [1, 2, 1, 2]), (False, [1, 1, 1, 1])])
def test_each_test_may_have_a_worker_of_its_own(sandboxed, shared, expected):
    pool, counts = sandboxed(toy=MODULE, limits=LIMITS)._pool, []
    context = implementations.sandboxed(pool, "nonce", shared=shared)
    for visibility in ("public", "public", "hidden", "hidden"):
        test = SimpleNamespace(id="test", limits=LIMITS, on_device=False, visibility=visibility)
        test.group = f"toy {visibility}"
        with context.implementation(test) as implementation:
            counts.append(implementation.toy.count())
    pool.close()
    assert counts == expected


def test_restart_is_in_no_worker_of_earlier_tests(next_test):
    one = next_test()
    assert one.toy.count() == 1
    one.close()
    other = next_test()
    assert other.peak_rss() > 0
    other.restart()
    assert other.toy.count() == 1


HIDDEN = """
import pytest

@pytest.mark.exercise("storage_index")
@pytest.mark.parametrize("x", range(5))
def test_number(impl, x):
    "A number comes back"
    assert impl.strides.storage_index(x) == x
"""
CODE = """
import os, sys

calls = vars(sys).setdefault("calls", [])


def storage_index(x):
    calls.append(x)
    if {when}:
        {then}
    return x
"""


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize(
    ("when", "then", "passing"),
    [
        ("len(calls) > 2", "return -1", 5),  # wrong beside earlier tests: nobody asks for that
        ("len(calls) > 2", "os._exit(3)", 5),
        ("len(calls) == 1 or x == 3", "return -1", 0),  # right beside earlier ones is not enough
        ("len(calls) == 1 and x == 4", "return -1", 4),  # nor is it if all are right there
        ("len(calls) > 1 and x == 0", "return -1", 5),  # another solution for a worker's first test
        ("x == 3", "return -1", 4),
        ("x == 3", "os._exit(3)", 4),
    ],
)
def test_once_a_test_fails_each_has_a_worker_of_its_own(
    grader, tmp_path, when, then, passing, fresh
):
    file = f"test_shared_{abs(hash((when, then, fresh)))}.py"  # Python caches modules by name
    (tmp_path / "tests" / "hidden").mkdir(parents=True)
    (tmp_path / "tests" / "hidden" / file).write_text(HIDDEN)
    package = tmp_path / "resource_accounting"
    package.mkdir()
    (package / "strides.py").write_text(CODE.format(when=when, then=then))
    with lent(grader, repository=tmp_path, _lanes=1):
        only = ["storage_index"]
        grade = grader.grade(package, tests="hidden", only=only, fresh=fresh)
    states = [check.state for check in grade.checks]
    assert states.count("passed") == passing
    assert grade.isolation.fresh is fresh
    assert grade.faults == ()


def test_no_calls_are_no_answer():
    """A hidden test that asks for nothing must be a fault"""
    implementation = GradedImplementation(None, LIMITS, 1)
    assert implementation.call_all([]) == []
    assert implementation.requests == 0
