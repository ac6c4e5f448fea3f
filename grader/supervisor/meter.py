"""Charges a submission for its CPU time and for its sleep, never for time in which it had to wait.

Wall time would make a mark depend on the machine: a worker that shares its core with others, or has
half a core, takes longer for the same work. A worker that waits for a core is charged nothing, and
neither is one that waits for a slow disk, as long as the grading's free waits last.

Most limits are the kernel's own (rlimits, a tmpfs of fixed size). `LimitChecker` covers what those
do not: memory that no rlimit counts, and disk where a worker has no file system of its own.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from assignment.manifest import Limits
from grader.causes import Cause
from grader.faults import SubmissionFailure, WorkerEnded
from grader.isolation import DISK_FILES, DISK_MIB
from grader.supervisor.process import Process

_SAMPLE_SECONDS = (0.025, 0.075)  # of calls, between two samples of the worker's state; random
# The most that one sample is charged for, in seconds: a judge that had to wait saw no more.
_MAX_SAMPLE_SECONDS = 0.2


class WallTimer:
    """Ends a wait after `seconds` of wall time; used before any code of a submission has run.

    A channel uses the same methods of a `Meter`, later.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._end = now, now() + seconds

    def wait(self) -> float:
        return min(_SAMPLE_SECONDS[1], max(0.0, self._end - self._now()))

    def check(self, waiting: bool) -> None:
        if self._now() >= self._end:
            raise SubmissionFailure(Cause.TIMEOUT, "no answer in time")

    def paused(self) -> AbstractContextManager[None]:
        return nullcontext()

    def charge(self, seconds: float) -> None:
        pass


class Meter:
    """Charges one worker for its time, and ends a wait for its answer when that is used up.

    CPU time is read exactly, with the judge's for reading the worker's messages. Time asleep is
    sampled at random moments during calls: a worker could wake up for samples at regular ones.
    Several short calls share one sampling interval. No second is charged twice: if the worker is
    asleep at the end of an interval, the interval is charged as sleep, less the CPU time in it.

    Args:
        is_judges_turn: whether it waits for the judge, as the channel tells; then it may sleep.
        check_end: raises when the grading as a whole has no time left.
        limits: of what the worker may hold; checked before calls, and while it is waited for.
        wait_for_disk: notes seconds that it waited for the disk; returns how many are charged.
        resume: continues the worker, which a signal has stopped. Whoever sent it, the submission is
            charged for no more than the sleep until then.
    """

    def __init__(
        self,
        worker: Process,
        is_judges_turn: Callable[[], bool] = lambda: False,
        check_end: Callable[[], None] = lambda: None,
        limits: LimitChecker | None = None,
        resume: Callable[[], None] = lambda: None,
        wait_for_disk: Callable[[float], float] = lambda _: 0.0,
        now: Callable[[], float] = time.monotonic,
        interval: Callable[[], float] = lambda: random.uniform(*_SAMPLE_SECONDS),  # to a sample
    ) -> None:
        self._worker, self._is_judges_turn = worker, is_judges_turn
        self._check_end, self._limits, self._resume = check_end, limits, resume
        self._wait_for_disk, self._now, self._interval = wait_for_disk, now, interval
        self._cpu_before = worker.cpu() or 0.0  # used before the meter started
        self.cpu = self.asleep = self.judges_cpu = 0.0  # charged so far
        self._allowed = 0.0
        self._updated = now()  # by the clock
        self._since_sample = 0.0  # seconds of calls since the last sample
        self._cpu_at_sample = 0.0  # `cpu` at the last sample
        self._next_sample = interval()  # seconds of calls from one sample to the next

    @property
    def charged(self) -> float:
        """Seconds charged so far."""
        return self.cpu + self.asleep + self.judges_cpu

    def begin(self, seconds: float) -> None:
        """Notes that a call starts. It may be charged at most `seconds`; raises as `check` does."""
        # Not yet with the CPU time since the last call, which is charged to this one.
        self._allowed, self._updated = self.charged + seconds, self._now()
        self.check(waiting=False)

    def end(self) -> None:
        """Stops charging for the call that `begin` started."""
        self._update_cpu()
        self._update_clock()
        # A sample that is due now would see a worker that waits for its next call, and charge it
        # for sleep. It is taken early in the next call instead.
        self._since_sample = min(self._since_sample, 0.99 * self._next_sample)

    def wait(self) -> float:
        """Seconds after which `check` should be called again."""
        return max(0.0, self._next_sample - self._since_sample)

    def check(self, waiting: bool) -> None:
        """Updates the charge, takes a sample if one is due, and checks all limits.

        `waiting` says whether the worker has a request and has not answered it.

        Raises:
            SubmissionFailure: the call has used up its time, or the worker holds more than it may.
            WorkerEnded: the worker has ended.
        """
        self._check_end()
        self._update_cpu()
        self._update_clock()
        if waiting and self._since_sample >= self._next_sample:
            self._sample()
        if self.charged >= self._allowed:
            raise SubmissionFailure(
                Cause.TIMEOUT,
                f"no answer after {self.charged - self.asleep:.1f} s of CPU and "
                f"{self.asleep:.1f} s asleep",
            )
        if self._limits is not None and waiting:
            self._limits.check()
        elif self._limits is not None:
            self._limits.check_if_due()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Around what the judge does while the worker waits for it: charges no sleep."""
        self._update_clock()
        try:
            yield
        finally:
            self._updated = self._now()

    def charge(self, seconds: float) -> None:
        """Charges CPU time that the judge took to read a message."""
        self.judges_cpu += seconds  # what is written quickly may take long to read

    def _sample(self) -> None:
        """Charges the time since the last sample as sleep, if the worker sleeps now."""
        doing = self._worker.activity()
        if doing == "asleep" and self._is_judges_turn():  # it has just finished, so it may sleep
            doing = "running"
        if doing == "stopped":
            self._resume()
            doing = "asleep"
        gap = max(
            0.0, min(self._since_sample, _MAX_SAMPLE_SECONDS) - (self.cpu - self._cpu_at_sample)
        )
        if doing == "asleep":
            self.asleep += gap
        elif doing == "disk":
            self.asleep += self._wait_for_disk(gap)
        self._since_sample, self._cpu_at_sample, self._next_sample = 0.0, self.cpu, self._interval()

    def _update_clock(self) -> None:
        now = self._now()
        self._since_sample += now - self._updated
        self._updated = now

    def _update_cpu(self) -> None:
        used = self._worker.cpu()
        if used is not None:
            self.cpu = max(self.cpu, used - self._cpu_before)


Timer = WallTimer | Meter
_CHECK_SECONDS = 0.05  # at least, between two checks of short calls
_SCAN_MAX_FILES, _SCAN_MAX_DEPTH = 20_000, 50
# Of a disk that is full: an honest test writes less, and may have removed what it could not finish.
_LEAST_ROOM, _LEAST_FILES = 16 * 2**20, 16


class LimitChecker:
    """Checks what one worker holds: memory, and disk where no file system of its own bounds that.

    Memory that it holds now does not count.

    Args:
        folders: what it may write, where no file system of its own bounds that.
        unlinked_bytes: measures files without a name, which no folder shows. That takes
            milliseconds: it is called only while the disk has far less room than before.
        uses_device: whether a device's driver may pin memory for it. The driver's libraries count
            then, too: the limits of such tests leave room for them.
    """

    def __init__(
        self,
        process: Process,
        limits: Limits,
        folders: tuple[Path, ...] = (),
        unlinked_bytes: Callable[[], int] = lambda: 0,
        uses_device: bool = False,
    ) -> None:
        self._process, self._limits, self._folders = process, limits, folders
        self._unlinked_bytes = unlinked_bytes
        self._most_free = _free_bytes(folders)  # grows when an ended worker's files are removed
        self._uses_device = uses_device
        self._memory_before = process.resident(uses_device) or 0
        self._checked = time.monotonic()

    def check_if_due(self) -> None:
        """Checks at most every 50 ms: calls may be too short to be watched."""
        if time.monotonic() - self._checked >= _CHECK_SECONDS:
            with contextlib.suppress(WorkerEnded):  # the call reports that
                self.check()

    def check(self) -> None:
        """Checks memory and disk.

        Raises:
            SubmissionFailure: the worker holds more than it may.
            WorkerEnded: it has ended.
        """
        resident = self._process.resident(self._uses_device)
        if resident is None:
            raise WorkerEnded
        held = resident - self._memory_before
        if held > self._limits.memory_mib * 2**20:
            raise SubmissionFailure(
                Cause.MEMORY, f"{held // 2**20} MiB held; {self._limits.memory_mib} MiB are allowed"
            )
        if self._folders:
            size, files = disk_usage(*self._folders)
            free = _free_bytes(self._folders)
            self._most_free = max(self._most_free, free)
            if self._most_free - free > DISK_MIB * 2**20 // 2:
                size += self._unlinked_bytes()
            if size > DISK_MIB * 2**20 or files > DISK_FILES:
                raise SubmissionFailure(
                    Cause.DISK,
                    f"{size // 2**20} MiB in {files} files; "
                    f"{DISK_MIB} MiB in {DISK_FILES} are allowed",
                )
        self._checked = time.monotonic()

    def is_disk_full(self) -> bool:
        """Whether the disk that the worker shares with others is nearly full, of bytes or files."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                found = os.statvfs(folder)
                files = found.f_favail if found.f_files else _LEAST_FILES  # 0: without a number
                return found.f_bavail * found.f_frsize < _LEAST_ROOM or files < _LEAST_FILES
        return False


def _free_bytes(folders: tuple[Path, ...]) -> int:
    """Free bytes of the file system that holds the folders; 0 if there are none."""
    for folder in folders:
        with contextlib.suppress(OSError):
            found = os.statvfs(folder)
            return found.f_bfree * found.f_frsize
    return 0


def disk_usage(*folders: Path) -> tuple[int, int]:
    """Bytes and files below some folders; stops at more files than are allowed."""
    size = files = 0
    for folder in folders:
        for blocks, count in _entries(folder):
            size, files = size + blocks * 512, files + count
            if files > _SCAN_MAX_FILES:
                return size, files
    return size, files


def _entries(
    folder: Path | str, parent: int | None = None, depth: int = 0
) -> Iterator[tuple[int, int]]:
    """Blocks of each entry below a folder, and as how many files it counts.

    It is found below the descriptor of its parent, since paths have a greatest length. One that is
    closed to the judge counts as too many files, and so does one deeper than `_SCAN_MAX_DEPTH`: a
    scan of it would take longer than it took to make.
    """
    try:
        descriptor = os.open(folder, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except (FileNotFoundError, NotADirectoryError):
        return  # it is gone
    except OSError:
        yield 0, _SCAN_MAX_FILES + 1
        return
    try:
        with os.scandir(descriptor) as found:
            for entry in found:
                count, blocks = 1 if depth < _SCAN_MAX_DEPTH else _SCAN_MAX_FILES, 0
                with contextlib.suppress(OSError):  # it is gone, and the others still count
                    blocks = entry.stat(follow_symlinks=False).st_blocks
                yield blocks, count
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.name, descriptor, depth + 1)
    finally:
        os.close(descriptor)
