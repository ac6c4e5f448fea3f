"""Tests of one exercise that carry no points share a worker; no other test shares one."""

from types import SimpleNamespace

import pytest

from assignment.manifest import Limits
from grader.faults import SubmissionFailure
from grader.judge import implementation as implementations
from grader.judge.implementation import GradedImplementation

MODULE = """
import os
import random

calls = []


def count():
    calls.append(None)
    return len(calls)


def state():
    return hash(random.getstate())


def say(text):
    print(text)


def calls_it(function):
    return function()


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


def test_worker_that_a_call_has_ended_is_not_kept(next_test):
    def fails():
        pytest.fail("as `pytest.raises` does")

    one = next_test()
    with pytest.raises(pytest.fail.Exception):
        one.toy.calls_it(fails)
    one.close()
    assert next_test().toy.count() == 1


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
    one.toy.say("first")
    one.toy.works()
    one.close()
    assert one.output.strip() == "first"
    other = next_test()
    assert other.toy.count() == 1
    assert 0 <= other.charged < one.charged
    other.toy.say("second")
    other.close()
    assert other.output.strip() == "second"
    assert 0 <= other.charged < one.charged


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


@pytest.mark.parametrize(
    ("counted", "expected"),
    [("hidden", [1, 1, 1, 2]), ("public", [1, 2, 1, 1]), (None, [1, 1, 1, 1])],
)
def test_only_tests_that_carry_no_points_share(sandboxed, counted, expected):
    pool, counts = sandboxed(toy=MODULE, limits=LIMITS)._pool, []
    context = implementations.sandboxed(pool, "nonce", counted)
    for visibility in ("hidden", "hidden", "public", "public"):
        test = SimpleNamespace(id="test", limits=LIMITS, on_device=False, visibility=visibility)
        test.group = f"toy {visibility}"
        with context.implementation(test) as implementation:
            counts.append(implementation.toy.count())
    assert counts == expected


def test_no_calls_are_no_answer():
    """A hidden test that asks for nothing must be a fault"""
    implementation = GradedImplementation(None, LIMITS, 1)
    assert implementation.call_all([]) == []
    assert implementation.answers == 0
