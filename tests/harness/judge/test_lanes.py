"""Lanes never run public and hidden tests together, and none is lost without a word.

That they give the same grade as one process is in `test_provenance.py`.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grader.faults import GraderFault
from grader.judge.lanes import ForkedLane, Queue
from grader.judge.schedule import Scheduler
from grader.machine import cores


def test_public_and_hidden_tests_never_run_together(grader, submit, monkeypatch):
    """All lanes finish the public tests before one starts a hidden test"""
    phases = []
    run = Scheduler._run_in_lanes

    def watch(self, groups):
        phases.append({test.visibility for tests in groups for test in tests})
        return run(self, groups)

    monkeypatch.setattr(Scheduler, "_run_in_lanes", watch)
    text = "def matmul_flops(B, D, K):\n    return 2 * B * D * K\n"
    grader.grade(submit(flops=text), only=["matmul_flops", "storage_index"])
    assert phases == [{"public"}, {"hidden"}]


def test_each_group_is_taken_once():
    """Two processes share a queue, and each number goes to one of them"""
    queue = Queue(100)
    lane = ForkedLane(lambda: list(iter(queue.take, None)))
    mine = list(iter(queue.take, None))
    theirs = lane.result(list[int])
    queue.close()
    assert sorted(mine + theirs) == list(range(100))


@pytest.mark.parametrize(
    "end", [lambda: 1 / 0, lambda: os._exit(7), lambda: signal.raise_signal(9)]
)
def test_a_lane_that_ends_early_is_a_fault_of_the_grader(end, capfd):
    """Its tests are not run, never a student's zero"""
    lane = ForkedLane(end)
    with pytest.raises(GraderFault, match="a lane ended"):
        lane.result(list[int])


# Runs `grader grade` in two lanes, and prints the number of threads at each fork.
COUNTING = """
import os, sys

os.sched_getaffinity = lambda _: {0, 1}
fork = os.fork

def counting():
    print("threads:", len(os.listdir("/proc/self/task")), file=sys.stderr, flush=True)
    return fork()

os.fork = counting
from grader.cli import main
main()
"""


@pytest.mark.parametrize(
    "variables",
    [
        pytest.param({}, marks=pytest.mark.long),
        {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"},
    ],
)
def test_the_judge_has_one_thread_when_it_forks(submit, tmp_path, variables):
    """A fork copies one thread only, so a lock that another thread holds is never released.

    This runs with the variables that cluster jobs set, and with every warning on.
    """
    submission = submit(flops="def matmul_flops(B, D, K):\n    return 2 * B * D * K\n")
    grade = ["grade", str(submission), "--out", str(tmp_path / "out"), "--tests", "public"]
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", COUNTING, *grade],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"threads: (\d+)", done.stderr) == [
        "1",
        "1",
    ]  # to read the submission; a lane
    assert "multi-threaded" not in done.stderr


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["50000 100000\n"], 0.5),
        (["max 100000\n"], 8),
        (["50000\n", "100000\n"], 0.5),
        (["-1\n", "100000\n"], 8),
        (["1200000\n", "100000\n"], 8),
        ([], 8),
        (["nonsense\n"], 8),
    ],
)
def test_cpu_quota_of_a_container_limits_the_cores(tmp_path, monkeypatch, texts, expected):
    """A container may have a small share of a machine with many cores"""
    files = tuple(str(tmp_path / str(i)) for i in range(max(1, len(texts))))
    for name, text in zip(files, texts, strict=False):
        Path(name).write_text(text)
    monkeypatch.setattr("grader.machine._QUOTAS", (files,))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    assert cores() == expected
