"""How long a grading may take because of its submission: a budget that only hanging code draws on.

A test has a limit of its own. One that hits it draws that limit on the grading's budget. Once the
budget is spent, each exercise still runs until its first test that hits a limit, and each test has
its last limit: little, but far more than the reference needs. So code that hangs everywhere ends in
a known time, and code that works passes whatever else hangs.
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
from grader.results.causes import Cause
from grader.results.record import Budget

LANES = 2  # of a usual grading
_LAST_SECONDS = 1.0  # the least that a last limit is, and
_LAST_TIMES = 20  # how many times the reference's CPU time it is at least
_SHARE = 0.5  # of the time since its first test: a submission that was charged more is to blame
_START_SECONDS = 60.0  # of a grading under a time limit: until its first test, on a slow machine


@dataclass(frozen=True)
class ReferenceTimes:
    """CPU seconds that the reference needs.

    Args:
        total: of a whole grading: the judge, its zygotes and all workers.
        tests: of the worker of one test, by `file::name`; what is missing takes next to nothing.
    """

    total: float = 0.0
    tests: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> ReferenceTimes:
        """The times in a file that `grader calibrate` wrote; none if there is no such file."""
        if not file.exists():
            return cls()
        found = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(float(found["total"]), {name: float(s) for name, s in found["tests"].items()})

    def last_limit(self, test: str, usual: float) -> float:
        """The limit of a test once the budget is spent, in seconds."""
        return min(usual, max(_LAST_SECONDS, _LAST_TIMES * self.tests.get(test, 0.0)))


class TimeBudget:
    """A grading's budget, shared by its lanes: processes that are forked after it was made.

    What a test draws follows from its limit alone, not from how the lanes took turns. So the sum
    after any set of tests is the same on every machine.

    Args:
        seconds: that tests which hit their limit may draw together.
        times: what the reference needs.
        time_limit: seconds on the wall, from now on, in which the grading has to end; None for
            no limit.
        now: a clock, in seconds, that the lanes share.
        lanes: how many there may be. Fewer than the usual number change nothing, so that the
            budget is the same on every machine.
    """

    def __init__(
        self,
        seconds: float,
        times: ReferenceTimes | None = None,
        time_limit: float | None = None,
        now: Callable[[], float] = time.monotonic,
        lanes: int = LANES,
    ) -> None:
        self.seconds, self.times = seconds, times or ReferenceTimes()
        self._given = seconds  # before it was made to fit
        self._time_limit, self._now = time_limit, now
        self._until = math.inf if time_limit is None else now() + time_limit
        self._began, self._cores = now(), 1.0
        self._beside = 0.0  # seconds that code which hangs may be charged beside the budget
        self._lanes = max(lanes, LANES)
        # In each lane's own place: no two processes write the same number.
        self._drawn = memoryview(mmap.mmap(-1, 8 * self._lanes)).cast("d")
        self._charged = memoryview(mmap.mmap(-1, 8 * self._lanes)).cast("d")
        self.lane = 0  # this process's

    @property
    def drawn(self) -> float:
        """Seconds that tests which hit their limit have drawn, in all lanes."""
        return sum(self._drawn)

    @property
    def charged(self) -> float:
        """Seconds that all tests were charged, in all lanes."""
        return sum(self._charged)

    @property
    def is_spent(self) -> bool:
        return self.drawn >= self.seconds

    def draw(self, seconds: float) -> None:
        """Notes a test that hit its limit."""
        self._drawn[self.lane] += seconds

    def charge(self, seconds: float) -> None:
        """Notes what a test was charged, whatever its end."""
        self._charged[self.lane] += seconds

    def limit(self, test: str, usual: float) -> float:
        """The limit of a test that starts now, in seconds."""
        return self.times.last_limit(test, usual) if self.is_spent else usual

    @property
    def is_over(self) -> bool:
        """Whether the whole grading has to end."""
        return self._now() >= self._until

    def check_end(self) -> None:
        """Ends a test when the whole grading has to end.

        Raises:
            SubmissionFailure: the submission is to blame.
            GraderFault: it is not: the machine was too slow for this time limit.
        """
        if not self.is_over:
            return
        if self._is_to_blame:
            raise SubmissionFailure(Cause.TIMEOUT, "the grading's time was up")
        raise GraderFault(
            "the time limit of the grading was too short for this machine: the submission has "
            f"spent {self.drawn:g} of its {self.seconds:g} s, and was charged "
            f"{self.charged:.0f} s in all; raise the time limit"
        )

    @property
    def _is_to_blame(self) -> bool:
        """Whether the submission used up the grading's time, and not the machine.

        It spent the whole budget, or half of the time since its first test was charged to it. A
        budget that was made smaller to fit is no measure: one test would spend it.
        """
        spent = 0 < self._given <= min(self.drawn, self.charged)
        elapsed = (self._now() - self._began) * min(1.0, self._cores)
        return spent or self.charged > _SHARE * elapsed

    def plan(self, limits: Iterable[tuple[str, str, float]], cores: float) -> None:
        """Takes note of all tests, and makes the budget fit into the time limit.

        Args:
            limits: of each test: what ends together once the budget is spent (an exercise's public
                tests, say), the test's name, and its usual limit in seconds.
            cores: that the grading may use; on half of one everything takes twice as long.
        """
        self._began, self._cores = self._now(), cores
        last: dict[str, float] = {}
        longest = 0.0
        for group, test, usual in limits:
            longest = max(longest, usual)
            last[group] = max(last.get(group, 0.0), self.times.last_limit(test, usual))
        # When the budget runs out, each lane may be in a test that has its usual limit.
        self._beside = self._lanes * longest + sum(last.values())
        if self._time_limit is not None:
            seconds = (self._time_limit - _START_SECONDS) * min(1.0, cores)
            left = seconds - self.times.total - self._beside
            self.seconds = min(self.seconds, max(0.0, left))

    def record(self) -> Budget:
        """The budget as the grade records it."""
        return Budget(
            seconds=round(self.seconds, 3),
            drawn=round(min(self.drawn, self.seconds), 3),
            bound=round(self.seconds + self._beside, 3),
        )
