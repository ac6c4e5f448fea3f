"""What a submission is charged for: CPU time, and time asleep. Never the time it had to wait.

Wall time would make a mark depend on the machine: a worker that shares its core with others, or has
half of one, takes longer for the same work. A worker that could run and is not let to is charged
nothing, and neither is one that waits for a slow disk.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Protocol

from grader.judge import process
from grader.judge.failure import SubmissionFailure
from grader.judge.process import Activity
from grader.results.causes import Cause

_EVERY = (0.025, 0.075)  # seconds of calls between two looks at what the worker does, at random
_LONGEST_GAP = 0.2  # seconds that one look speaks for: a judge that was kept waiting saw no more
_DISK_TIMES = 3  # waiting for the disk is free up to so many times the limit


class Watched(Protocol):
    """A process, as the kernel shows it."""

    def cpu(self) -> float | None:
        """CPU seconds used; None if it is gone."""

    def activity(self) -> Activity | None:
        """What it does now; None if it is gone."""


class Process:
    """The process of this number."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def cpu(self) -> float | None:
        return process.cpu_seconds(self.pid)

    def activity(self) -> Activity | None:
        return process.activity(self.pid)


class Timer(Protocol):
    """Ends a wait for a worker."""

    def wait(self) -> float:
        """Seconds until `check` wants to be called again."""

    def check(self, waiting: bool) -> None:
        """Raises SubmissionFailure if the time is used up.

        Args:
            waiting: whether the worker has been asked and has not answered.
        """


class WallTimer:
    """Ends a wait after so many seconds on the wall: where no code of a submission has run yet."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._end = now, now() + seconds

    def wait(self) -> float:
        return min(_EVERY[1], max(0.0, self._end - self._now()))

    def check(self, waiting: bool) -> None:
        if self._now() >= self._end:
            raise SubmissionFailure(Cause.TIMEOUT, "no answer in time")


def _draw_interval() -> float:
    return random.uniform(*_EVERY)


class Meter:
    """Charges one worker for its time; a Timer of the call that it is in.

    CPU time is read exactly. Time asleep is sampled at random moments of the time in calls, or a
    worker could wake up for each look; several short calls share one interval. No second is charged
    twice: of an interval at whose end the worker was asleep, the CPU time in it is taken off.

    Args:
        watched: the worker's process.
        has_answered: whether something of the worker's is there to be read: then it may sleep.
        check_end: raises when the grading as a whole has no time left.
        now: a clock, in seconds.
        interval: draws the seconds until the next look.
    """

    def __init__(
        self,
        watched: Watched,
        has_answered: Callable[[], bool] = lambda: False,
        check_end: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.monotonic,
        interval: Callable[[], float] = _draw_interval,
    ) -> None:
        self._watched, self._has_answered, self._check_end = watched, has_answered, check_end
        self._now, self._interval = now, interval
        self._cpu_before = watched.cpu() or 0.0  # its first use
        self.cpu = self.asleep = self.disk = 0.0
        self._allowed = 0.0
        self._last = now()
        self._unseen = 0.0  # seconds of calls since the last look
        self._cpu_seen = 0.0  # at the last look
        self._next = interval()

    @property
    def charged(self) -> float:
        """Seconds charged until now."""
        return self.cpu + self.asleep

    def begin(self, seconds: float) -> None:
        """A call begins that may be charged so many seconds; raises as `check` does."""
        before = self.charged
        self._read_cpu()
        self._allowed, self._last = before + seconds, self._now()
        self.check(waiting=False)

    def end(self) -> None:
        """The call is over."""
        self._read_cpu()
        self._read_clock()
        # A look that is due now would see the worker wait for its next call: early in that, then.
        self._unseen = min(self._unseen, 0.99 * self._next)

    def wait(self) -> float:
        return max(0.0, self._next - self._unseen)

    def check(self, waiting: bool) -> None:
        """Looks at the worker if it is time to.

        Args:
            waiting: whether the worker has been asked and has not answered.

        Raises:
            SubmissionFailure: it has used what it may.
        """
        self._check_end()
        self._read_cpu()
        self._read_clock()
        if waiting and self._unseen >= self._next:
            self._look()
        if self.charged >= self._allowed:
            raise SubmissionFailure(
                Cause.TIMEOUT,
                f"no answer after {self.cpu:.1f} s of CPU and {self.asleep:.1f} s asleep",
            )
        if self.disk >= _DISK_TIMES * self._allowed:
            raise SubmissionFailure(Cause.TIMEOUT, f"waited {self.disk:.0f} s for the disk")

    def _look(self) -> None:
        doing = self._watched.activity()
        if doing == "asleep" and self._has_answered():  # just now, and may sleep
            doing = "running"
        gap = max(0.0, min(self._unseen, _LONGEST_GAP) - (self.cpu - self._cpu_seen))
        if doing == "asleep":
            self.asleep += gap
        elif doing == "disk":
            self.disk += gap
        self._unseen, self._cpu_seen, self._next = 0.0, self.cpu, self._interval()

    def _read_clock(self) -> None:
        now = self._now()
        self._unseen += now - self._last
        self._last = now

    def _read_cpu(self) -> None:
        used = self._watched.cpu()
        if used is not None:
            self.cpu = max(self.cpu, used - self._cpu_before)
