"""A submission is charged for its CPU time and its sleep, never for a slow machine.

Clock, process and sampling are simulated, so the load of this machine decides no test.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.supervisor.budget import TimeBudget
from grader.supervisor.meter import Meter, WallTimer


@dataclass
class World:
    """A clock, and a process whose state is `doing(now)` and that gets `share` of a core."""

    doing: Callable[[float], str]
    share: float = 1.0
    now: float = 100.0
    used: float = 7.0  # CPU seconds, some from before the first call

    def clock(self) -> float:
        return self.now

    def cpu(self) -> float:
        return self.used

    def activity(self) -> str:
        return self.doing(self.now)

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds * 1000)):
            self.now += 0.001
            if self.doing(self.now) == "running":
                self.used += 0.001 * self.share


def metered(world: World, seed: int = 0, **hooks: Any) -> Meter:
    draw = random.Random(seed)
    return Meter(world, now=world.clock, interval=lambda: draw.uniform(0.025, 0.075), **hooks)


def run(meter: Meter, world: World, seconds: float, limit: float) -> float:
    """Runs a call that never answers, for at most `seconds`; returns how long it lasted."""
    meter.begin(limit)
    began = world.now
    try:
        while world.now - began < seconds:
            meter.check(waiting=True)
            world.pass_time(meter.wait() + 0.001)
    except SubmissionFailure as failure:
        if failure.cause is not Cause.TIMEOUT:
            raise
    finally:
        meter.end()
    return world.now - began


@pytest.mark.parametrize("doing", ["running", "asleep"])
def test_cpu_time_and_sleep_are_charged(doing):
    """Alone on a core, both hit the limit after that much wall time"""
    world = World(lambda _: doing)
    assert run(metered(world), world, 60, limit=10) == pytest.approx(10, abs=0.2)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.0])
def test_time_without_a_core_is_not_charged(share):
    """On half a core the same work may take twice as long; without a core nothing is charged"""
    world = World(lambda _: "running", share=share)
    meter = metered(world)
    assert run(meter, world, 15, limit=10) > 15
    assert meter.charged == pytest.approx(15 * share, abs=0.1)


def test_waiting_for_the_disk_is_charged_once_the_gradings_free_waits_are_used_up():
    """No test has free waits of its own: together they could keep the grader for an hour"""
    world, budget = World(lambda _: "disk"), TimeBudget(100)
    for expected in (30 + 2, 2):  # the first call has the free ones
        meter = metered(world, wait_for_disk=budget.wait_for_disk)
        assert run(meter, world, 300, limit=2) == pytest.approx(expected, abs=0.5)
        assert meter.charged == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("period", [0.002, 0.02, 0.2, 2])
def test_alternating_sleep_and_work_are_not_charged_twice(period):
    """At least three quarters of the time are charged, whatever the period"""
    world = World(lambda t: "asleep" if t % period < period / 2 else "running")
    assert 9.9 <= run(metered(world), world, 60, limit=10) <= 10 / 0.75 + 0.5


def test_sleep_in_many_short_calls_is_charged():
    """A call that ends before the next sample shares its interval with the calls after it"""
    world = World(lambda _: "asleep")
    meter = metered(world)
    for _ in range(1000):
        meter.begin(1000)
        for _ in range(4):
            meter.check(waiting=True)
            world.pass_time(min(meter.wait() + 0.001, 0.005))
        meter.end()
    assert meter.charged == pytest.approx(world.now - 100, rel=0.1)


def test_waking_up_at_regular_intervals_gains_nothing():
    """Samples are random: they see a worker asleep that wakes up every 50 ms"""
    world = World(lambda t: "running" if t % 0.05 < 0.005 else "asleep")
    assert run(metered(world), world, 60, limit=10) == pytest.approx(10, rel=0.15)


def test_one_sample_charges_no_more_than_its_maximum():
    """A judge that could not run for 30 s has not seen the worker in that time"""
    world = World(lambda _: "asleep")
    meter = metered(world)
    meter.begin(10)
    meter.check(waiting=True)
    world.pass_time(30)
    meter.check(waiting=True)
    assert meter.charged <= 0.2


def test_cpu_time_between_calls_is_charged():
    """Threads may go on while the judge computes"""
    world = World(lambda _: "running")
    meter = metered(world)
    meter.begin(10)
    meter.end()
    world.pass_time(3)
    with pytest.raises(SubmissionFailure, match=r"3\.0 s of CPU and 0\.0 s asleep"):
        meter.begin(2)
    assert meter.charged == pytest.approx(3, abs=0.01)


def test_what_the_judge_does_meanwhile_is_not_charged():
    """A worker that waits for it is asleep"""
    world = World(lambda _: "asleep")
    meter = metered(world)
    meter.begin(10)
    for _ in range(100):
        with meter.paused():
            world.pass_time(1)
        meter.check(waiting=True)
    assert meter.charged == 0
    assert run(meter, world, 60, limit=10) == pytest.approx(10, abs=0.3)


def test_reading_its_messages_is_charged():
    """A message is written in far less time than the judge takes to read it"""
    world = World(lambda _: "running", share=0.0)
    meter = metered(world)
    meter.begin(10)
    meter.charge(9)
    meter.check(waiting=True)
    meter.charge(2)
    assert meter.charged == 11
    with pytest.raises(SubmissionFailure, match=r"11\.0 s of CPU and 0\.0 s asleep"):
        meter.check(waiting=True)


def test_a_worker_that_has_answered_may_sleep():
    """The judge may be slow to read the answer, or to send the next call"""
    world = World(lambda _: "asleep")
    answered = []
    meter = Meter(world, lambda: bool(answered), now=world.clock)
    answered.append("before the judge reads it")
    meter.begin(10)
    world.pass_time(3)
    meter.check(waiting=True)
    assert meter.charged == 0
    meter.end()
    answered.clear()
    world.pass_time(3)
    meter.begin(10)
    world.pass_time(0.01)
    meter.check(waiting=False)
    assert meter.charged == 0


def test_the_end_of_the_grading_ends_a_call():
    def over() -> None:
        raise SubmissionFailure(Cause.TIMEOUT, "the grading's time was up")

    world = World(lambda _: "running")
    meter = Meter(world, check_end=over, now=world.clock)
    with pytest.raises(SubmissionFailure, match="the grading's time"):
        meter.begin(10)


def test_wall_timer_ends_after_its_seconds():
    times = itertools.chain([0.0, 4.9, 4.9, 5.1], itertools.repeat(6.0))
    timer = WallTimer(5, now=lambda: next(times))
    timer.check(waiting=True)
    assert 0 < timer.wait() <= 0.1
    with pytest.raises(SubmissionFailure, match="no answer in time"):
        timer.check(waiting=True)


def test_process_that_was_stopped_goes_on():
    """It may stop itself again and again: that is charged as sleep"""
    resumed = []
    world = World(lambda _: "stopped")
    meter = Meter(world, resume=lambda: resumed.append(world.now), now=world.clock)
    assert run(meter, world, 60, limit=10) == pytest.approx(10, abs=0.2)
    assert len(resumed) > 100
