"""Faults in the midst of a call, of a use of a test's function, or of a reader: none is a zero.

Each comes out as a fault of the grader, or as a kill, after which the test is tried again, and
nothing is left. A few random moments; the campaign `faults` tries many more.
"""

import contextlib
import errno
import gc
import os
import random
import resource
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assignment.calls.callbacks import KillProcess
from assignment.calls.file_calls import Seen
from grader.causes import Cause
from grader.faults import GraderFault, Killed
from grader.judge.grader import Grader
from grader.judge.implementation import GradedImplementation
from grader.judge.verdict import cause_of
from grader.signals import Stopped
from grader.supervisor.pool import WorkerPool
from tests.harness.conftest import wait_until
from tests.harness.judge.interrupted import with_exception_at
from tests.harness.processes import children, is_alive, serving_zygote

DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)
FAULTS = int(os.environ.get("FAULTS", "0"))
STEPS = 3 + 20 * FAULTS  # random ones, of each operation and error
MODULE = """
import os


def apply(function, *args):
    return function(*args)


def one_by_one(numbers):
    for number in numbers:
        yield 10 * number


def saves(path, function):
    with open(path + ".tmp", "wb") as file:
        file.write(b"text")
        file.flush()
        function()
        os.fsync(file)
    os.replace(path + ".tmp", path)
    return "saved"
"""


SAVED = ("saved", [("sync", "file"), ("rename", "file.tmp", "file")])


class Lane:
    """A zygote of its own, which may be killed, and an implementation in its workers."""

    def __init__(self, grader: Grader, submission: Path) -> None:
        before = set(children(serving_zygote(grader)))
        self.zygote = grader.zygote.fork(lane=1)
        (self.zygote_pid,) = set(children(serving_zygote(grader))) - before
        # Other folders than those of the grader's second lane, and of zygotes that were killed.
        self.zygote._scratch_count = 10**6 * self.zygote_pid
        self.scratches = f"1-{self.zygote_pid}0*"
        root = Path(f"/proc/{grader.zygote._process.pid}/root")  # that zygote is not killed
        self.scratch = Path(f"{root}{grader.zygote.folder}", "scratch")
        package = grader.manifest.package
        self.pool = WorkerPool(self.zygote, submission, package, spare=False)
        self.limits = grader.manifest.limits

    def begin(self) -> None:
        """A test begins."""
        self.impl = GradedImplementation(self.pool, self.limits, 1)

    def end(self) -> None:
        """A test ends: what the grader does then, whatever has happened."""
        for step in (self.impl.close, self.zygote.drain):
            with contextlib.suppress(GraderFault):
                step()

    @property
    def serves(self) -> bool:
        """Whether its zygote lives, and is connected."""
        return is_alive(self.zygote_pid) and self.is_connected

    @property
    def is_connected(self) -> bool:
        """Whether the judge's end of its control socket is open."""
        return self.zygote._control._socket.fileno() >= 0

    def scratch_folders(self) -> Iterator[Path]:
        """Its tests' scratch folders, as zygotes see them: in tier A nobody else does."""
        return self.scratch.glob(self.scratches)

    @property
    def worker_pid(self) -> int:
        assert self.impl._worker is not None
        return self.impl._worker.process.pid


@pytest.fixture(scope="module")
def submission(quick_grader) -> Iterator[Path]:
    quick_grader.prepare()
    folder = quick_grader.zygote.submissions / "faults"
    package = folder / quick_grader.manifest.package
    package.mkdir(parents=True, mode=0o755)
    (package / "__init__.py").touch()
    (package / "toy.py").write_text(MODULE)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def next_lane(quick_grader, submission) -> Iterator[Callable[[], Lane]]:
    """The lane of the last test, or another one if that test has ended its zygote's service."""
    lanes: list[Lane] = []

    def take() -> Lane:
        if not lanes or not lanes[-1].serves:
            lanes.append(Lane(quick_grader, submission))
        lanes[-1].begin()
        return lanes[-1]

    yield take
    for lane in lanes:
        lane.zygote.disconnect()
        # An error may keep a folder from being removed, and later tests with this grader look.
        for folder in lane.scratch_folders():
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def lane(next_lane) -> Iterator[Lane]:
    """A lane; after the test nothing of it is left."""
    lane = next_lane()
    before = open_files()
    yield lane
    lane.end()
    if not lane.is_connected:
        before.remove("socket:")
    assert open_files() == before
    assert has_no_worker(lane)
    assert not lane.serves or not list(lane.scratch_folders())


def has_no_worker(lane: Lane) -> bool:
    """Whether no worker of the lane is left, once those that are ending have ended."""
    gc.collect()  # a worker ends with the judge's end of its socket
    return wait_until(lambda: not lane.serves or not any(map(is_alive, children(lane.zygote_pid))))


def open_files() -> list[str]:
    """This process's open files by kind: numbers of sockets and pipes change."""
    gc.collect()
    found = []
    for file in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # of the list itself
            found.append(str(file.readlink()).partition("[")[0])
    return sorted(found)


def test_folder_of_a_killed_call_ends_with_a_restart(lane):
    assert not lane.impl.kill_during("toy.apply", lambda: 0)
    lane.impl.restart()
    lane.zygote.drain()
    assert not list(lane.scratch_folders())


# --- faults ---------------------------------------------------------------------------------------


def kill_worker(lane: Lane) -> None:
    os.kill(lane.worker_pid, signal.SIGKILL)


def stop_worker(lane: Lane) -> None:
    os.kill(lane.worker_pid, signal.SIGSTOP)


def kill_zygote(lane: Lane) -> None:
    os.kill(lane.zygote_pid, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(lane.worker_pid))


def no_memory(_: Lane) -> None:
    raise MemoryError


def full_disk(_: Lane) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_descriptors(_: Lane) -> None:
    """From now on this process can open nothing, even if it closes what it has opened lately."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8, DESCRIPTORS[1]))


def signal_to_end(_: Lane) -> None:
    raise Stopped("SIGTERM")


def in_a_call(lane: Lane, fault: Callable[[], None]) -> Any:
    return lane.impl.toy.apply(fault)


def in_an_iterator(lane: Lane, fault: Callable[[], None]) -> Any:
    def numbers() -> Iterator[int]:
        yield 1
        fault()
        yield 2

    return list(lane.impl.iterate("toy.one_by_one", numbers()))


def in_a_killed_call(lane: Lane, fault: Callable[[], None]) -> Any:
    return lane.impl.kill_during("toy.apply", fault)


def in_a_watched_call(lane: Lane, fault: Callable[[], None]) -> Any:
    return lane.impl.file_calls("toy.saves", str(lane.impl.scratch / "file"), fault)


def in_a_moment(lane: Lane, fault: Callable[[], None]) -> Any:
    seen: list[bytes | None] = []
    path = str(lane.impl.scratch / "file")

    def see(file: Seen | None) -> None:
        fault()
        seen.append(file and file.content)

    lane.impl.watch_file(path, see, "toy.saves", path, lambda: None)
    return seen


PLACES = (in_a_call, in_an_iterator, in_a_killed_call, in_a_watched_call, in_a_moment)
OF_THE_GRADER = (kill_zygote, no_memory, full_disk, no_descriptors)


@pytest.mark.parametrize("fault", [kill_worker, *OF_THE_GRADER, signal_to_end])
@pytest.mark.parametrize("place", PLACES)
def test_fault_between_a_use_and_its_answer_is_no_zero(lane, place, fault):
    assert lane.impl.toy.apply(lambda: 1) == 1
    expected = {signal_to_end: Stopped, kill_worker: Killed}.get(fault, GraderFault)

    def meets_fault() -> None:
        place(lane, lambda: fault(lane))
        lane.impl.readers.names_in(str(lane.impl.scratch))  # the call may need no new descriptor

    try:
        with pytest.raises(expected):
            meets_fault()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, DESCRIPTORS)


@pytest.mark.parametrize("place", PLACES)
def test_worker_that_is_stopped_goes_on(lane, place):
    stops = iter([stop_worker])  # one: each is charged as sleep
    place(lane, lambda: next(stops, lambda _: None)(lane))
    assert lane.impl.toy.apply(lambda: 1) == 1


def test_killed_look_at_a_workers_files_is_no_zero(lane):
    """A child of the zygote looks, and answers; what is killed is one at any moment, or none"""
    ends = threading.Event()

    def kill_others(worker: int) -> None:
        while not ends.is_set():
            for pid in set(children(lane.zygote_pid)) - {worker}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    for _ in range(STEPS):
        assert lane.impl.toy.apply(lambda: 1) == 1
        ends.clear()
        threads = []

        def begin(threads: list[threading.Thread] = threads) -> None:
            threads.append(threading.Thread(target=kill_others, args=[lane.worker_pid]))
            threads[0].start()

        try:
            with contextlib.suppress(GraderFault):
                assert in_a_watched_call(lane, begin) == SAVED
        finally:
            ends.set()
            threads[0].join()
        assert lane.impl.readers.names_in(str(lane.impl.scratch)) != []
        lane.end()
        lane.begin()  # each step has a test's time


# --- at any step of the judge's code --------------------------------------------------------------


def kills() -> None:
    raise KillProcess


def reader(lane: Lane) -> Any:
    path = str(lane.impl.scratch / "file")
    lane.impl.readers.write_files({path: b"text"})
    return lane.impl.readers.file_bytes(path)


# What is done, and what comes of it.
OPERATIONS: dict[str, tuple[Callable[[Lane], Any], Any]] = {
    "call": (lambda lane: in_a_call(lane, lambda: "used"), "used"),
    "iterator": (lambda lane: in_an_iterator(lane, lambda: None), [10, 20]),
    "killed_call": (lambda lane: in_a_killed_call(lane, kills), True),
    "watched_call": (lambda lane: in_a_watched_call(lane, lambda: None), SAVED),
    # Before the opening, a write, the use, the sync, the renaming and the answer.
    "moments": (lambda lane: in_a_moment(lane, lambda: None), [None] * 5 + [b"text"]),
    "reader": (reader, b"text"),
    "memory": (lambda lane: lane.impl.peak_rss() > 0, True),
}
ERRORS = (
    MemoryError,
    partial(OSError, errno.ENOSPC, os.strerror(errno.ENOSPC)),
    partial(OSError, errno.EMFILE, os.strerror(errno.EMFILE)),
)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_error_of_the_machine_at_any_step_of_the_judge_is_no_zero(next_lane, operation):
    (run, expected), lane = OPERATIONS[operation], next_lane()
    steps = 10**7 - with_exception_at(10**7, partial(run, lane))
    lane.end()
    for _ in range(STEPS):
        lane = next_lane()
        step, error = random.randrange(steps), random.choice(ERRORS)
        found: list[Any] = []
        cause = cause_with(error(), step, lambda lane=lane, found=found: found.append(run(lane)))
        assert cause or found == [expected], (step, error)
        tried_again = {Cause.TOO_LARGE} if error is MemoryError else set()
        assert cause in {None, Cause.GRADER_FAULT, *tried_again}, (step, error)
        lane.end()
        assert has_no_worker(lane)
    gc.collect()  # what an error has left open warns here, and not in a later test


def cause_with(error: Exception, step: int, run: Callable[[], None]) -> Cause | None:
    """The cause of the failure with an error at a step; None if it works all the same."""
    try:
        with_exception_at(step, run, error)
    except Exception as raised:
        return cause_of(raised, requests=1)
    return None
