"""An exception, such as a signal, at any step of a worker's end touches no other descriptor.

The kernel gives a closed descriptor's number to the next file that is opened. So after each
exception all free numbers go to others, which must stay as they are.
"""

import array
import contextlib
import fcntl
import gc
import math
import os
import signal
import socket
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from assignment import manifest
from grader.faults import GraderFault
from grader.judge.implementation import GradedImplementation
from grader.signals import Stopped
from grader.supervisor.budget import TimeBudget
from grader.supervisor.control import Control
from grader.supervisor.process import OutputPipe, ScratchFolder, WorkerProcess
from grader.supervisor.worker import Worker
from grader.wire import messages
from tests.harness.conftest import long_unless, wait_until
from tests.harness.judge.interrupted import interrupted

# What an interrupted step leaves behind is closed with the object that it belongs to.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
SCRATCH = ScratchFolder("scratch", 0)


@pytest.fixture(scope="module", autouse=True)
def closed_here() -> Iterator[None]:
    """The next module's tests do not ignore it."""
    yield
    gc.collect()


class Rig:
    """A worker whose process only sleeps, and whose zygote has answered everything in advance."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(["sleep", "inf"])
        ours, self.zygote = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control = control = Control(ours)
        pidfd = os.pidfd_open(self.child.pid)
        messages.send(self.zygote, messages.Forked(pid=7), [pidfd])
        os.close(pidfd)
        messages.send(self.zygote, messages.Reaped(status=signal.SIGKILL))
        messages.send(self.zygote, messages.Done())
        fork = messages.ForkWorker(scratch="scratch", uid=0, submission="", shared="", judge=0)
        connection, self.theirs = socket.socketpair()
        reader, self.printer = os.pipe()
        os.set_blocking(reader, False)
        os.write(self.printer, b"printed")
        process = WorkerProcess(
            control.request(fork),
            control,
            connection,
            OutputPipe(reader),
            SCRATCH,
        )
        self.process = process
        self.worker = Worker(_FakeZygote(control), process, TimeBudget(math.inf))
        pool = SimpleNamespace(zygote=self.worker._zygote)
        self.implementation = GradedImplementation(pool, manifest.load().limits, 1)
        self.implementation._worker, self.implementation._folder = self.worker, SCRATCH
        self.implementation._account.begin(self.worker)

    def end(self) -> None:
        """What a test does at its end."""
        self.worker.stop()
        self.worker.resume()
        self.implementation.restart()
        assert self.implementation.output == "printed"
        self.implementation.close()
        assert self.process.exit_failure().cause == "died"

    def has_ended(self) -> bool:
        """Whether the process was killed."""
        return self.child.poll() is not None

    def close(self) -> None:
        os.close(self.printer)
        self.control.close()
        for end in (self.zygote, self.theirs):
            end.close()
        self.child.kill()
        self.child.wait()


class _FakeZygote:
    def __init__(self, control: Control) -> None:
        self._control = control

    def discard(self, scratch: str) -> None:
        self._control.request(messages.RemoveScratch(scratch=scratch))


class Others:
    """Descriptors of others: a pipe that holds bytes, or a process, at each free number."""

    def __init__(self, kind: str) -> None:
        self.child = subprocess.Popen(["sleep", "inf"])
        self.source, self.writer = os.pipe()
        os.set_blocking(self.source, False)
        os.write(self.writer, b"of others")
        if kind == "process":
            os.close(self.source)
            self.source = os.pidfd_open(self.child.pid)
        self.kind, self.numbers = kind, set[int]()
        self.highest = self.source + 20
        self.name = _name(self.source)

    def take_free_numbers(self) -> None:
        """Takes all up to one that no rig reaches."""
        while (number := os.dup(self.source)) <= self.highest:
            self.numbers.add(number)
        os.close(number)

    def release(self) -> None:
        """Closes them; fails if one of them was closed, read or signalled."""
        for number in self.numbers:
            assert _name(number) == self.name, "it was closed"
            os.close(number)
        self.numbers.clear()
        if self.kind == "pipe":
            held = array.array("i", [0])
            fcntl.ioctl(self.source, termios.FIONREAD, held)
            assert held[0] == len(b"of others"), "it was read"
        # The campaign `load --stops` may stop it, and this then fails; a machine that stops signals
        # nobody.
        events = os.WEXITED | os.WSTOPPED | os.WCONTINUED | os.WNOHANG
        assert os.waitid(os.P_PID, self.child.pid, events) is None, "it got a signal"

    def close(self) -> None:
        for number in (self.source, self.writer):
            os.close(number)
        self.child.kill()
        self.child.wait()


def _name(number: int) -> str:
    return str(Path(f"/proc/self/fd/{number}").readlink())


@pytest.fixture(params=["pipe", "process"])
def others(request: pytest.FixtureRequest) -> Iterator[Others]:
    others = Others(request.param)
    yield others
    others.close()


def assert_touches_no_others(rig: Rig, others: Others) -> None:
    """Does with a worker all that may still be done with it, whatever ended it, or its end."""
    worker, implementation = rig.worker, rig.implementation
    for use in (
        lambda: implementation.output,
        implementation.close,
        lambda: implementation.output,
        worker.kill,
        rig.process.output.take,
        rig.process.output.drain,
        worker.wait_until_ready,
        worker.stop,
        rig.process.stop,
        worker.resume,
        rig.process.resume,
        worker.peak_rss,
        lambda: rig.process.kill(keep_scratch=False),
        rig.process._close,
    ):
        others.take_free_numbers()
        with contextlib.suppress(GraderFault, ValueError):  # ValueError: "closed file"
            use()
    others.release()


@pytest.mark.parametrize("stride", long_unless([1, 4], 4))
def test_exception_at_any_step_of_a_workers_end_touches_no_other_descriptor(others, stride):
    steps = 0
    for step, rig in interrupted(Rig, Rig.end, stride=stride):
        others.take_free_numbers()
        try:
            assert_touches_no_others(rig, others)
        except BaseException as error:
            error.add_note(f"after an exception at step {step}")
            raise
        steps += stride
    assert steps > 300


@pytest.mark.parametrize("stride", long_unless([1, 4], 4))
@pytest.mark.parametrize("error", [lambda: Stopped("a test"), MemoryError])
def test_exception_at_any_step_of_a_workers_end_leaves_it_to_be_ended(error, stride):
    """After a second try the worker is killed, or its socket is closed, at which it ends"""
    for step, rig in interrupted(Rig, lambda rig: rig.implementation.close(), error, stride):
        with contextlib.suppress(GraderFault):
            rig.implementation.close()
        is_closed = rig.process.connection.fileno() == -1
        assert is_closed or wait_until(rig.has_ended), step
    del rig
    gc.collect()  # what an error has left open is closed here, without a warning


def test_worker_that_was_ended_is_refused(others):
    rig = Rig()
    rig.end()
    for use in (rig.worker.stop, rig.worker.resume, rig.worker.peak_rss):
        with pytest.raises(GraderFault, match="used after its end"):
            use()
    assert_touches_no_others(rig, others)
    rig.close()


@pytest.mark.parametrize("error", [GraderFault("the zygote is gone"), MemoryError()])
def test_worker_whose_reaping_fails_is_closed(others, error):
    rig = Rig()

    def fail(*_: object) -> None:
        raise error

    rig.process._control = SimpleNamespace(request=fail)
    with pytest.raises(GraderFault):
        rig.implementation.restart()
    assert rig.child.wait() == -signal.SIGKILL
    assert rig.process.output._file.closed
    assert rig.process._ids.pidfd.closed
    assert rig.process.connection.fileno() == -1
    assert_touches_no_others(rig, others)
    rig.close()


def test_process_that_was_reaped_is_not_read():
    """Its number may be another process's by then"""
    rig = Rig()
    process = rig.process.state
    assert process.cpu() is not None
    rig.end()
    process.pid = os.getpid()  # as if
    assert process.cpu() is None
    assert process.resident() is None
    assert process.activity() is None
    rig.close()


# As it must be, and as it must not.
LOCKED_DOWN = {
    "Uid": ("7\t7\t7\t7", "7\t0\t7\t7"),
    "Gid": ("8\t8\t8\t8", "8\t8\t0\t8"),
    "Groups": ("9", "9 0"),
    "NoNewPrivs": ("1", "0"),
    "Seccomp": ("2", "0"),
    "CapEff": ("0000000000000000", "0000000000200000"),
    "CapBnd": ("0000000000000000", "0000000000200000"),
    "Threads": ("1", "2"),
}


@pytest.mark.parametrize("field", LOCKED_DOWN)
def test_judge_reads_from_the_kernel_what_a_worker_has_given_up(field):
    rig = Rig()
    rig.process.scratch, rig.process._groups = ScratchFolder("scratch", 7), (8, 9)
    status = {name: right for name, (right, _) in LOCKED_DOWN.items()}
    rig.process.state.status = lambda: status
    rig.process.check_lockdown("B", own_uids=True)
    status[field] = LOCKED_DOWN[field][1]
    with pytest.raises(GraderFault, match=f"not locked down: {field} is"):
        rig.process.check_lockdown("B", own_uids=True)
    rig.process.kill(keep_scratch=False)
    rig.close()


def test_worker_is_read_and_cut_when_it_prints_without_end():
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    output = OutputPipe(reader)
    with os.fdopen(writer, "wb", 0) as pipe:
        for text in (b"x" * 4096,) * 40 + (b"the end",):
            pipe.write(text)
            assert output.drain()
    assert output.take() == ("x" * 64 * 1024 + "the end")[-64 * 1024 :]
    assert output.take() == ""
    output.close()
