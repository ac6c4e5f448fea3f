"""The time budget of a grading: it bounds how long code that hangs can keep the grader busy.

Each test has its own time limit. A test that hits it draws that limit from the grading's budget.
Once the budget is spent, each exercise still runs until its first test that hits a limit, and each
test has its *last limit*: short, but far longer than the reference needs. So a submission that
hangs everywhere ends within a known time, and code that works still passes.
"""

from __future__ import annotations

import math
import mmap
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.lanes import USUAL_LANES
from grader.results.causes import Cause
from grader.results.record import Budget

_LAST_SECONDS = 1.0  # minimum of a last limit
_LAST_FACTOR = 20  # a last limit is at least this many times the reference's CPU time
# Of the time since its first test. A submission that was charged more is to blame for a timeout.
_BLAME_SHARE = 0.5
_START_SECONDS = 60.0  # reserved in a time limit: until the first test, on a slow machine


@dataclass(frozen=True)
class ReferenceTimes:
    """CPU seconds that the reference needs.

    Args:
        total: for a whole grading: the judge, its zygotes and all workers.
        tests: for the worker of each test, by `file::name`; tests not listed take next to nothing.
    """

    total: float = 0.0
    tests: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> ReferenceTimes:
        """Reads a file that `grader calibrate` wrote; without the file all times are 0."""
        if not file.exists():
            return cls()
        found = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(float(found["total"]), {name: float(s) for name, s in found["tests"].items()})

    def last_limit(self, test: str, usual: float) -> float:
        """The limit of a test once the budget is spent, in seconds."""
        return min(usual, max(_LAST_SECONDS, _LAST_FACTOR * self.tests.get(test, 0.0)))


class TimeBudget:
    """A grading's budget, shared by its lanes, which are processes forked from this one later.

    What a test draws depends only on its limit, not on the order in which the lanes run tests. So
    the total for a set of tests is the same on every machine.

    Args:
        seconds: the budget: what all tests that hit their limit may draw together.
        times: what the reference needs.
        time_limit: wall seconds, from now, within which the grading has to end; None for no limit.
        now: a clock, in seconds, that the lanes share.
        lanes: the largest possible number of lanes. The budget is computed for at least the usual
            number, so that it is the same on every machine.
    """

    def __init__(
        self,
        seconds: float,
        times: ReferenceTimes | None = None,
        time_limit: float | None = None,
        now: Callable[[], float] = time.monotonic,
        lanes: int = USUAL_LANES,
    ) -> None:
        self.seconds, self.times = seconds, times or ReferenceTimes()
        self._full_seconds = seconds  # before `plan` reduces the budget to fit a time limit
        self._time_limit, self._now = time_limit, now
        self._deadline = math.inf if time_limit is None else now() + time_limit
        self._began, self._cores = now(), 1.0
        self._outside_budget = 0.0  # seconds that code which hangs may be charged in addition
        self._lanes = max(lanes, USUAL_LANES)
        # Shared memory. Each lane writes only its own element, so no lock is needed.
        self._drawn = memoryview(mmap.mmap(-1, 8 * self._lanes)).cast("d")
        self._charged = memoryview(mmap.mmap(-1, 8 * self._lanes)).cast("d")
        self.lane = 0  # this process's lane

    @property
    def drawn(self) -> float:
        """Seconds drawn so far by tests that hit their limit, in all lanes."""
        return sum(self._drawn)

    @property
    def charged(self) -> float:
        """Seconds charged so far for all tests, in all lanes."""
        return sum(self._charged)

    @property
    def is_spent(self) -> bool:
        return self.drawn >= self.seconds

    def draw(self, seconds: float) -> None:
        """Records that a test hit its limit of `seconds`."""
        self._drawn[self.lane] += seconds

    def charge(self, seconds: float) -> None:
        """Records what a test was charged, whatever its outcome."""
        self._charged[self.lane] += seconds

    def limit(self, test: str, usual: float) -> float:
        """The limit of a test that starts now, in seconds."""
        return self.times.last_limit(test, usual) if self.is_spent else usual

    @property
    def is_over(self) -> bool:
        """Whether the time limit of the whole grading has passed."""
        return self._now() >= self._deadline

    def check_end(self) -> None:
        """Raises once the time limit of the whole grading has passed.

        Raises:
            SubmissionFailure: the submission used up the time.
            GraderFault: it did not: the machine was too slow for this time limit.
        """
        if not self.is_over:
            return
        if self._is_to_blame:
            raise SubmissionFailure(Cause.TIMEOUT, "the grading's time was up")
        raise GraderFault(
            "the time limit of the grading was too short for this machine: the submission drew "
            f"{self.drawn:g} of its {self.seconds:g} s of budget, and was charged "
            f"{self.charged:.0f} s in all; raise the time limit"
        )

    @property
    def _is_to_blame(self) -> bool:
        """Whether the submission used up the grading's time, rather than the machine.

        It did if it spent the full budget, or was charged more than half of the time since its
        first test. A budget that was reduced to fit does not count: one test could spend it.
        """
        spent = 0 < self._full_seconds <= min(self.drawn, self.charged)
        elapsed = (self._now() - self._began) * min(1.0, self._cores)
        return spent or self.charged > _BLAME_SHARE * elapsed

    def plan(self, limits: Iterable[tuple[str, str, float]], cores: float) -> None:
        """Computes the bound for these tests, and reduces the budget to fit the time limit.

        Args:
            limits: for each test its group, its name, and its usual limit in seconds. Once the
                budget is spent, the first test of a group that hits a limit ends the group (an
                exercise's public tests, for example).
            cores: the number the grading may use; with half a core everything takes twice as long.
        """
        self._began, self._cores = self._now(), cores
        last: dict[str, float] = {}
        longest = 0.0
        for group, test, usual in limits:
            longest = max(longest, usual)
            last[group] = max(last.get(group, 0.0), self.times.last_limit(test, usual))
        # When the budget runs out, each lane may still be in a test with its usual limit.
        self._outside_budget = self._lanes * longest + sum(last.values())
        if self._time_limit is not None:
            seconds = (self._time_limit - _START_SECONDS) * min(1.0, cores)
            left = seconds - self.times.total - self._outside_budget
            self.seconds = min(self.seconds, max(0.0, left))

    def record(self) -> Budget:
        """The budget as the grade records it."""
        return Budget(
            seconds=round(self.seconds, 3),
            drawn=round(min(self.drawn, self.seconds), 3),
            bound=round(self.seconds + self._outside_budget, 3),
        )
