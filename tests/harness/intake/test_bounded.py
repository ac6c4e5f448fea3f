"""A function in a process of its own: its answer, its limits, and whose fault a failure is."""

import os
import resource
import signal
import time
from dataclasses import replace

import pytest

from grader.faults import GraderFault
from grader.intake import bounded
from grader.intake.bounded import LimitExceeded, Limits, run_bounded
from tests.harness.conftest import MAX_WAIT, wait_until

LIMITS = Limits(cpu_seconds=30, memory=64 * 2**20, wall_seconds=MAX_WAIT, answer=2**24)


def for_ever() -> bytes:
    while True:
        pass


def test_answer_comes_back_whole():
    for answer in (b"", b"x", os.urandom(2**22)):
        assert run_bounded(lambda answer=answer: answer, LIMITS) == answer


def test_cpu_time_has_a_limit():
    with pytest.raises(LimitExceeded, match="1 s of CPU time"):
        run_bounded(for_ever, replace(LIMITS, cpu_seconds=1))


def test_memory_has_a_limit():
    with pytest.raises(LimitExceeded, match="64 MiB of memory"):
        run_bounded(lambda: bytes(bytearray(2**27)[:1]), LIMITS)


def test_memory_of_the_judge_does_not_count():
    held = bytearray(2**27)
    assert run_bounded(lambda: bytes(bytearray(2**24)[:1]), LIMITS) == b"\0"
    del held


def test_limits_are_the_processes_own():
    kinds = (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_CORE)
    before = [resource.getrlimit(kind) for kind in kinds]
    run_bounded(bytes, LIMITS)
    assert [resource.getrlimit(kind) for kind in kinds] == before


def test_process_leaves_no_core_file():
    """It would hold the judge's memory"""
    found = run_bounded(lambda: str(resource.getrlimit(resource.RLIMIT_CORE)[0]).encode(), LIMITS)
    assert found == b"0"


@pytest.mark.parametrize(
    "end",
    [
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os.kill(os.getpid(), signal.SIGTRAP),
        lambda: os._exit(2),
        lambda: 1 / 0,
    ],
    ids=["killed", "crashed", "left", "failed"],
)
def test_process_that_ends_otherwise_is_a_fault_of_the_grader(end):
    with pytest.raises(GraderFault, match="ended with status"):
        run_bounded(end, LIMITS)


def test_exception_is_printed_without_terminal_sequences(capfd):
    """Its message may name a file of the submission"""

    def work() -> bytes:
        raise ValueError("\x1b]0;Title\x07\r\x9b2J")

    with pytest.raises(GraderFault):
        run_bounded(work, LIMITS)
    error = capfd.readouterr().err
    assert "Title" in error
    assert error.replace("\n", "").isprintable()


def test_too_large_an_answer_is_a_fault_of_the_grader():
    with pytest.raises(GraderFault, match="too much"):
        run_bounded(lambda: bytes(2**20), replace(LIMITS, answer=2**19))


def test_wait_without_end_is_a_fault_of_the_grader_and_ends_the_process(monkeypatch):
    """The process sleeps longer than any test may take"""
    started, fork = [], os.fork
    monkeypatch.setattr(os, "fork", lambda: started.append(fork()) or started[-1])
    with pytest.raises(GraderFault, match="did not end in time"):
        run_bounded(lambda: time.sleep(10 * MAX_WAIT), replace(LIMITS, wall_seconds=1))
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signal_to_the_whole_group_is_the_judges_alone(number):
    """`timeout` and a terminal send it to all; the judge then ends the process"""

    def work() -> bytes:
        os.kill(os.getpid(), number)
        return b"still here"

    assert run_bounded(work, LIMITS) == b"still here"


def test_signal_to_the_judge_ends_the_process(tmp_path, monkeypatch):
    """It comes when the process has written its number; it uses no CPU time, and never ends"""
    pid = tmp_path / "pid"

    def work() -> bytes:
        pid.symlink_to(f"{os.getpid()}")
        time.sleep(10 * MAX_WAIT)
        return b""

    def interrupted(*_):
        assert wait_until(pid.is_symlink)
        raise KeyboardInterrupt

    monkeypatch.setattr(bounded, "_receive", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_bounded(work, LIMITS)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.readlink().name), 0)
