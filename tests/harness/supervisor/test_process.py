"""CPU time and state of a process, as the kernel reports them."""

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from grader.supervisor.process import Process


@pytest.fixture
def fork_child() -> Iterator[Callable[[Callable[[], None]], int]]:
    """Forks a process that runs a function and is killed after the test."""
    pids = []

    def start(what: Callable[[], None]) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                what()
            finally:
                os._exit(0)
        pids.append(pid)
        return pid

    yield start
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def busy() -> None:
    while True:
        pass


def test_kernel_reports_cpu_time_and_state(fork_child):
    """A sleeping process uses next to nothing, a busy one more and more"""
    idle, hard = fork_child(signal.pause), fork_child(busy)
    before = Process(hard).cpu()
    while Process(hard).cpu() < before + 0.05:  # ends under any load
        pass
    assert Process(idle).cpu() < Process(hard).cpu()
    assert Process(hard).activity() == "running"
    while Process(idle).activity() != "asleep":
        pass


def test_cpu_time_is_read_from_proc_without_cpu_clocks(fork_child, monkeypatch):
    """Some kernels of containers have no CPU clocks of other processes; /proc has hundredths"""
    pid = fork_child(busy)

    def refuse(_: int) -> float:
        raise OSError

    monkeypatch.setattr("grader.supervisor.process.time.clock_gettime", refuse)
    while Process(pid).cpu() < 0.05:
        pass


def test_ended_process_has_no_cpu_time_and_no_state():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    while Process(pid).activity() is not None:  # until it waits to be reaped
        pass
    os.waitpid(pid, 0)
    assert Process(pid).cpu() is None
    assert Process(pid).activity() is None


def test_stopped_process_is_not_asleep(fork_child):
    """Each state lasts until it has been seen"""
    pid = fork_child(signal.pause)
    os.kill(pid, signal.SIGSTOP)
    while Process(pid).activity() != "stopped":
        pass
    os.kill(pid, signal.SIGCONT)
    while Process(pid).activity() == "stopped":
        pass
