"""Races on a CPU: they cover the code of races except CUDA's own.

Workers run and their outputs are compared, but durations are simulated, so marks are exact.
The campaign `races` prints how exact races are on this machine.
"""

import itertools
import json
import math
import random
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from assignment import programs
from grader.causes import Cause
from grader.faults import GraderFault
from grader.races import device, race
from grader.races.race import Race
from grader.races.runner import TimingRunner
from grader.races.statistic import PRECISE, RULES, Interval
from grader.races.timed_worker import TimedWorker
from grader.results.record import to_json
from grader.supervisor.worker import Worker
from grader.supervisor.zygote import Zygote
from tests.harness.conftest import long_unless
from tests.harness.races import hash_chain, racing
from tests.harness.races.conftest import BLOCKS, NAIVE_BLOCKS, honest_submission

pytestmark = pytest.mark.usefixtures("short_races")


REAL_CLOCK = device.Cpu.clock


@pytest.mark.parametrize(
    ("times", "mark"),
    long_unless(
        [(0.5, 1), (1.05, 1), (1.2, 0.75), (1.5, 0.5), (1.9, 0.25), (2.2, 0), (10.0, 0)],
        *((1.05, 1), (2.2, 0)),
    ),
)
def test_mark_follows_from_the_ratio_of_times(raced, hash_grader, monkeypatch, times, mark):
    racing.simulate(monkeypatch, submission=times)
    racing.change_rules(looks=(8,), interval=RULES["cpu"].interval)  # no fewer give an interval
    grade, check = raced(hash_grader)
    assert (check.state, check.cause) == (
        ("passed", None) if mark == 1 else ("failed", Cause.TOO_SLOW)
    )
    assert check.timing.ratio == pytest.approx(times)
    assert check.timing.naive_ratio == pytest.approx(racing.NAIVE)
    assert grade.score == check.points == 4 * check.timing.mark == 4 * mark


def test_machine_that_slows_down_changes_no_mark(raced, hash_grader, monkeypatch):
    """The runs of a block alternate, so that both parties are slowed down alike"""
    speeds = [1.0 + 0.01 * run for run in range(200)]
    order = iter(speeds)
    parties = {
        "submission": (1.5 * speed for speed in order),
        "reference": (speed for speed in order),
        "naive": (racing.NAIVE * speed for speed in order),
    }
    racing.simulate(monkeypatch, **parties)
    _, check = raced(hash_grader)
    assert check.timing.ratio == pytest.approx(1.5, rel=0.001)
    assert check.timing.mark == 0.5


def test_real_clock_advances_while_a_worker_runs(raced, hash_grader, monkeypatch):
    monkeypatch.setattr(device.Cpu, "clock", REAL_CLOCK)
    racing.change_rules(max_drift=math.inf, max_spread=math.inf, least_span=0.0)
    _, check = raced(hash_grader)
    assert all(s > 0 for block in check.timing.quads for s in block.seconds)


def test_the_reference_itself_earns_everything_and_every_sample_is_in_the_grade(raced, hash_grader):
    grade, check = raced(hash_grader)
    assert list(hash_grader.zygote.submissions.iterdir()) == []  # none is left behind
    assert (check.state, check.cause) == ("passed", None)
    assert grade.score == grade.max_score == 4
    assert check.timing.mark == 1
    timing = json.loads(to_json(grade))["checks"][0]["timing"]
    assert timing["program"] == "hash_chain"
    assert timing["sizes"] == programs.find("hash_chain").sizes_on("cpu", 0)
    assert timing["device"]
    assert len(timing["quads"]) == BLOCKS
    assert [block["seconds"] for block in timing["quads"]] == [[1.0] * 4] * BLOCKS
    naive = racing.NAIVE
    assert [block["seconds"] for block in timing["naive_quads"]] == [[naive, 1.0, 1.0, naive]]
    assert timing["low"] <= timing["ratio"] <= timing["high"]


def test_pairs_of_runs_share_inputs_and_no_other_runs_do(raced, hash_grader, before_calls):
    calls = []
    before_calls(lambda _, target, args: calls.append((target.removeprefix("programs."), args)))
    _, check = raced(hash_grader)
    starts = [args[1] for target, args in calls if target == "run"]
    exact = [args[-1] for target, args in calls if target == "exact"]
    assert starts[:2] == exact
    rounds = [starts[i : i + 4] for i in range(2, len(starts), 4)]
    assert len(rounds) == NAIVE_BLOCKS + len(check.timing.quads)
    for first, second, third, last in rounds:
        assert first == second != third == last
    assert len(set(starts)) == 2 + 2 * len(rounds)
    seeds = [args[-1] for target, args in calls if target == "prepare"][4:]
    assert seeds[::2] == seeds[1::2]  # both of a block
    assert len(set(seeds)) == len(rounds)


def test_place_of_a_round_may_have_several_runs(raced, hash_grader, monkeypatch, before_calls):
    """On a device a worker's start takes longer than its runs; the mean of its runs counts

    Between runs there is no other worker.
    """
    monkeypatch.setattr(device.Cpu, "keeps_workers", False)
    racing.change_rules(place_seconds=3.0)
    submission = itertools.cycle([1.5, 0.75, 0.75])
    racing.simulate(monkeypatch, submission=submission, naive=1.5)
    workers, others, calls = set(), set(), []

    def note(worker, target, args):
        if target == "programs.run":
            others.update(state_of(pid) for pid in workers - {worker.process.pid})
            workers.add(worker.process.pid)
            calls.append(args[1])

    before_calls(note)
    _, check = raced(hash_grader)
    assert {block.seconds for block in check.timing.quads} == {(1.0, 1.0, 1.0, 1.0)}
    assert others == {"gone"}
    assert len(workers) == 2 + 4 * (NAIVE_BLOCKS + BLOCKS)
    first = 2 + 10 * NAIVE_BLOCKS  # after the exact runs
    naive, raced = calls[2:first], calls[first:]
    assert len(raced) == 12 * BLOCKS
    for first in range(0, len(raced), 12):
        one, same, other, again = (raced[first + n : first + n + 3] for n in (0, 3, 6, 9))
        assert one == same != other == again
    assert naive[:2] == naive[2:4]  # the naive program had used its time after two runs
    assert len(set(naive + raced)) == 6 * (NAIVE_BLOCKS + BLOCKS)


# Measured on an H100 and an H200, in seconds: from a fork to the first run, without that run; of a
# run of the reference and of the naive program; and by how much processes differ at random. Runs of
# products differ by 15%, but alike in each worker: the device reaches its limit of power.
MEASURED = {
    "matmul_chain": (0.54, 0.119, 1.42, 0.01),
    "training": (0.67, 0.133, 1.36, 0.01),
    "adamw": (0.5, 0.099, 0.62, 0.05),
    "batches": (0.8, 0.137, 0.241, 0.04),
}
POWER = (0.94, 0.96, 0.98, 0.98, 1.0, 1.07, 1.01, 0.98, 0.99, 0.98, 1.04, 1.02)


@pytest.mark.parametrize("program", long_unless(MEASURED, "matmul_chain", "adamw"))
def test_race_of_the_reference_on_a_device_ends_within_two_minutes(
    raced, hash_grader, monkeypatch, program
):
    """By a simulated clock"""
    start, run, naive, spread = MEASURED[program]
    monkeypatch.setattr(device.Cpu, "keeps_workers", False)
    monkeypatch.setitem(racing.RULES, "cpu", RULES["cuda"])
    drawn = random.Random(program)
    now, usual, speed = 12.0, 0.0, 1.0  # imports and zygotes have taken the first seconds
    swings = iter(())
    ready, real = TimedWorker._ready, Worker.call

    def _ready(self):
        nonlocal now, usual, speed, swings
        usual = naive if self._pool is self._test.parties.naive else run
        if self._worker is None:
            now += start
            speed = drawn.uniform(1 - spread / 2, 1 + spread / 2)
            swings = iter(POWER if program == "matmul_chain" else [1.0] * len(POWER))
        return ready(self)

    def call(self, target, args, kwargs, seconds=None):
        nonlocal now
        runs = kwargs.get("warm_ups", 1) if target.startswith("programs.") else 0
        for _ in range(runs):
            now += usual * next(swings) * speed
        return real(self, target, args, kwargs, seconds)

    monkeypatch.setattr(TimedWorker, "_ready", _ready)
    monkeypatch.setattr(Worker, "call", call)
    monkeypatch.setattr(device.Cpu, "clock", lambda self, pid: now)
    _, check = raced(hash_grader)
    assert (check.state, check.timing.mark) == ("passed", 1)
    assert len(check.timing.quads) <= 20
    assert (check.timing.high - check.timing.low) / 2 <= PRECISE
    assert now <= 120


def test_each_output_of_a_place_is_compared(raced, hash_grader):
    """A submission that works only in the first of its runs earns nothing"""
    racing.change_rules(place_seconds=2.0)
    text = racing.HASHES.module_text(1.0)
    text += "\nright, seen = hash_block, []\n\ndef hash_block(state, rounds):\n"
    text += "    seen.append(state)\n    found = right(state, rounds)\n"
    text += f"    return found if len(seen) <= {4 * 3} else found[::-1]\n"  # four blocks a run
    _, check = raced(hash_grader, text=text)
    assert check.cause is Cause.WRONG_ANSWER


def test_races_on_a_device_have_a_separate_zygote(raced, hash_grader, monkeypatch):
    """It sees the device, and lives as long as the race; here the device is a CPU"""
    started = []
    real = Zygote.with_device

    def with_device(self, name, memory_mib):
        started.append(real(self, name, memory_mib))
        return started[-1]

    monkeypatch.setattr(Zygote, "with_device", with_device)
    monkeypatch.setattr(device, "find", device.Cpu)
    with hash_chain.known_to_zygotes():
        grade, check = raced(hash_grader)
    assert check.timing is not None  # the race finished
    (zygote,) = started
    assert zygote is not hash_grader.zygote
    assert zygote.tier == hash_grader.zygote.tier == grade.isolation.tier
    assert zygote._process.returncode == 0
    assert not zygote.folder.exists()


def test_driver_is_started_before_the_zygote_of_races(monkeypatch):
    """Only root can make the device's nodes, and what workers may open is found out once"""
    order = []

    class Started(device.Cuda):
        identity = "GPU-1"

        def __init__(self):
            pass

        def start_driver(self):
            order.append("driver")

    zygote = SimpleNamespace(with_device=lambda *args: order.append(args))
    monkeypatch.setattr(device, "find", Started)
    _ = TimingRunner(zygote, Path(), "", Path(), 16384)._workers_zygote
    assert order == ["driver", ("GPU-1", 16384)]


def test_races_of_the_harness_run_on_the_cpu_on_every_machine(monkeypatch):
    """On a device their limits of memory would end the driver"""
    monkeypatch.setattr(device, "Cuda", device.Cpu)  # as if there were one
    assert device.find() is None


def test_failing_submission_has_the_cause_of_its_failure(raced, hash_grader):
    for text, cause in (
        ("def hash_block(state, rounds):\n    raise NotImplementedError\n", Cause.NOT_STARTED),
        ("import os\n\ndef hash_block(state, rounds):\n    os._exit(3)\n", Cause.DIED),
        ("def hash_block(state, rounds):\n    return state * 3\n", Cause.WRONG_ANSWER),
    ):
        grade, check = raced(hash_grader, text=text)
        assert (check.state, check.cause) == ("failed", cause)
        assert grade.score == 0


def test_exercise_is_not_measured_where_the_naive_program_is_too_fast(
    raced, hash_grader, monkeypatch
):
    racing.simulate(monkeypatch, naive=1.29)
    grade, check = raced(hash_grader)
    assert (check.state, check.cause) == ("not_run", Cause.NOT_MEASURED)
    assert (grade.score, grade.max_score) == (0, 0)
    assert not grade.exercises[0].measured


def test_exercise_is_not_measured_on_an_unsteady_device(raced, hash_grader, monkeypatch):
    monkeypatch.setattr(race, "_MAX_VOID", 2)
    racing.simulate(monkeypatch, reference=itertools.cycle([1.0, 2.1]))
    _, check = raced(hash_grader)
    assert (check.state, check.cause) == ("not_run", Cause.NOT_MEASURED)
    assert "too unsteady: two runs of the reference were 110% apart" in check.detail


def test_block_in_which_the_reference_drifted_is_void(raced, hash_grader, monkeypatch):
    """It is ignored, and another block is run"""
    before = [1.0] * (2 + 2 * NAIVE_BLOCKS)  # the exact runs, then those beside the naive program
    drifted = [1.0, 1.0, 4.5, 4.5]
    reference = itertools.chain(before, drifted, itertools.repeat(1.0))
    racing.simulate(monkeypatch, reference=reference)
    _, check = raced(hash_grader)
    void = "the reference drifted by +350.0%"
    assert [block.void for block in check.timing.quads] == ["", void, *[""] * (BLOCKS - 1)]
    assert check.timing.mark == 1


def test_block_on_a_throttled_device_is_void(raced, hash_grader, monkeypatch):
    hot = {3, 12}  # the naive program's first block, and the submission's second
    reports = iter("it is too hot" if run in hot else "" for run in range(200))
    monkeypatch.setattr(device.Cpu, "disturbance", lambda self: next(reports))
    _, check = raced(hash_grader)
    void = "it is too hot"
    assert [block.void for block in check.timing.naive_quads] == [void, ""]
    assert [block.void for block in check.timing.quads] == ["", void, *[""] * (BLOCKS - 1)]


def test_undecided_race_goes_on(raced, hash_grader):
    found = iter([Interval(1.0, 0.9, 1.2), Interval(1.0, 0.99, 1.01)])
    racing.change_rules(looks=(3, 4, 5), interval=lambda ds: next(found))
    _, check = raced(hash_grader)
    assert (len(check.timing.quads), check.timing.low) == (4, 0.99)


def test_block_has_rounds_until_its_seconds_are_over(raced, hash_grader, monkeypatch):
    racing.change_rules(block_seconds=0.2)
    racing.simulate(monkeypatch, submission=0.03, reference=0.03, naive=0.3)
    _, check = raced(hash_grader)
    assert {len(block.seconds) for block in check.timing.naive_quads} == {4}
    assert {len(block.seconds) for block in check.timing.quads} == {8}


def test_only_one_party_runs_at_a_time(raced, hash_grader, before_calls):
    """Meanwhile the other party's process is stopped, or does not exist any more"""
    met, others = set(), set()

    def note(worker, target, args):
        if target == "programs.run":
            others.update(state_of(pid) for pid in met - {worker.process.pid})
            met.add(worker.process.pid)

    before_calls(note)
    grade, _ = raced(hash_grader)
    assert grade.score == 4
    assert others == {"stopped", "gone"}


def state_of(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "gone"
    return {"T": "stopped", "Z": "ending", "X": "ending"}.get(state, "running")


def test_time_below_the_hardware_limit_is_left_to_a_person(raced, hash_grader, monkeypatch):
    monkeypatch.setattr(Race, "_floor", lambda _: 1e6)
    grade, check = raced(hash_grader)
    assert (check.state, check.cause) == ("not_run", Cause.SUSPICIOUS)
    assert not grade.exercises[0].measured


def test_fault_of_the_reference_gives_no_mark(hash_grader, tmp_path):
    broken = "def hash_block(state, rounds):\n    raise ValueError\n"
    place = tmp_path / "race"
    with racing.grader_for(place, racing.HASHES, broken, started=hash_grader) as grader:
        grade = grader.grade(honest_submission(tmp_path))
    assert grade.score is None
    assert grade.checks[0].cause is Cause.GRADER_FAULT


def test_only_one_race_runs_at_a_time():
    cpu = device.Cpu()
    another = device.Cpu().exclusively()
    with cpu.exclusively(), pytest.raises(GraderFault, match="another race runs on"), another:
        pass
    with cpu.exclusively():
        pass


def test_no_race_runs_while_another_process_uses_the_device(monkeypatch):
    monkeypatch.setattr(device.Cpu, "other_processes", lambda self: [17, 18])
    alone = device.Cpu().exclusively()
    with pytest.raises(GraderFault, match=r"other processes use .*: 17, 18"), alone:
        pass


def test_races_can_be_left_out_and_required(hash_grader, tmp_path, monkeypatch):
    match = "no test of any exercise in tests/public, tests/hidden"  # there are only races
    with pytest.raises(GraderFault, match=match):
        hash_grader.grade(honest_submission(tmp_path), timing="skip")
    monkeypatch.setattr(device, "why_none", lambda: "nvidia-ml-py is not installed")
    with pytest.raises(GraderFault, match="no CUDA device can be used: nvidia-ml-py is not inst"):
        hash_grader.grade(tmp_path / "in", timing="require")
    assert list(hash_grader.zygote.submissions.iterdir()) == []


def test_exercise_that_needs_cuda_is_not_measured_without_it(raced, hash_grader, monkeypatch):
    usual = hash_grader.manifest
    exercise = replace(usual.exercise[0], needs=("cuda",))
    monkeypatch.setattr(hash_grader, "manifest", replace(usual, exercise=(exercise,)))
    grade, check = raced(hash_grader)
    assert (check.state, check.cause) == ("not_run", Cause.NEEDS_CUDA)
    assert (grade.score, grade.max_score) == (0, 0)
