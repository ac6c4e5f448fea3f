"""The time budget of a grading: it bounds how long slow code can keep the grader busy.

Each test has its own time limit, and an exercise's hidden tests have a *share* of time together, as
do its public ones: far more than the reference needs. Whatever needs more than that, because it
hangs, sleeps or is very slow, draws on one budget for the whole grading. So any submission ends
within a known time.

What an exercise may use of its share depends on no other exercise, and the budget is drawn on in
one lane and in a fixed order. So lanes, load and order decide no mark.
"""

from __future__ import annotations

import math
import mmap
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.machine import USUAL_LANES
from grader.results.record import Budget

# Of what the reference needs, or of `_SHORT_TEST`: so much slower may code be everywhere.
_SHARE_FACTOR = 20
_SHORT_TEST = 0.02  # CPU seconds of a test that is not in the file of reference times
_SHORT_IMPORT = 1.0  # charged seconds of a module's import that draw nothing
_IMPORTS = 3  # of each module, before the tests
# Of the time since its plan. A submission that was charged more is to blame for a timeout.
_BLAME_FRACTION = 0.5
_ROUNDING = 1e-6  # seconds of a share that may be left of it only by rounding
_DISK_SECONDS = 30.0  # that all workers of a grading may wait for the disk at no charge
_START_SECONDS = 60.0  # reserved in a time limit: until the first test, on a slow machine


@dataclass(frozen=True)
class ReferenceTimes:
    """CPU seconds that the reference needs."""

    total: float = 0.0  # for a whole grading: the judge, its zygotes and all workers
    # For the worker of each test, by `file::name`; tests not listed take next to nothing.
    tests: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> ReferenceTimes:
        """Reads what `grader author measure-reference` wrote; without the file all times are 0."""
        if not file.exists():
            return cls()
        found = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(float(found["total"]), {name: float(s) for name, s in found["tests"].items()})

    def allowed(self, test: str) -> float:
        """The part of an exercise's share that comes from this test, in seconds."""
        return _SHARE_FACTOR * max(_SHORT_TEST, self.tests.get(test, 0.0))


class TimeBudget:
    """A grading's budget, shared by its lanes, which are processes forked from this one later.

    Args:
        seconds: the budget: what tests may draw together once their exercise's share is spent.
        time_limit: wall seconds, from now, within which the grading has to end; None for no limit.
        now: a clock that the lanes share.
        least_share: seconds that a group's share has at least, but for a group whose tests' limits
            together are less; if inf, each share is those limits together.
    """

    def __init__(
        self,
        seconds: float,
        times: ReferenceTimes | None = None,
        time_limit: float | None = None,
        now: Callable[[], float] = time.monotonic,
        lanes: int = USUAL_LANES,  # at most
        least_share: float = math.inf,
    ) -> None:
        self.seconds, self.times = seconds, times or ReferenceTimes()
        self._full_seconds = seconds  # before `plan` reduces the budget to fit a time limit
        self._time_limit, self._now = time_limit, now
        self._deadline = math.inf if time_limit is None else now() + time_limit
        self._began, self._cores = now(), 1.0
        self._outside_budget = 0.0  # seconds that code may be charged in addition
        self._least_share = least_share
        # Shared memory. Each lane writes only its own element, and a group's tests run in one lane
        # at a time, so no lock is needed.
        self._drawn = _shared_array(lanes)
        self._charged = _shared_array(lanes)
        self._waited = _shared_array(lanes)  # for the disk
        self._shares: dict[str, tuple[int, float]] = {}  # by group: its number, and its seconds
        self._used = _shared_array(1)  # of each share, by the group's number
        self.lane = 0  # this process's lane

    @property
    def drawn(self) -> float:
        """Seconds drawn so far, in all lanes."""
        return sum(self._drawn)

    @property
    def charged(self) -> float:
        """Seconds charged so far for all tests, in all lanes."""
        return sum(self._charged)

    @property
    def is_spent(self) -> bool:
        return self.drawn >= self.seconds

    def share_left(self, group: str) -> float:
        """Seconds that are left of a group's share; 0 once it is spent."""
        number, seconds = self._shares.get(group, (0, math.inf))
        left = seconds - self._used[number]
        return left if left > _ROUNDING else 0.0

    def end_share(self, group: str) -> None:
        """Spends what is left of a group's share."""
        number, seconds = self._shares[group]
        self._used[number] = seconds

    def limit(self, group: str, usual: float) -> float:
        """The limit of a test that starts now, in seconds: `usual` once the share is spent."""
        return min(usual, self.share_left(group) or usual)

    def charge(self, group: str, seconds: float, usual: float) -> None:
        """Records what a test was charged: all to its share if some is left, else to the budget."""
        self._charged[self.lane] += seconds
        if not self.share_left(group):
            self._draw(seconds, usual)
        elif group in self._shares:
            self._used[self._shares[group][0]] += seconds

    def import_limit(self, usual: float) -> float:
        """The limit of a module's import that starts now, in seconds."""
        return min(usual, _SHORT_IMPORT) if self.is_spent else usual

    def charge_import(self, seconds: float, usual: float) -> None:
        """Records what a module's import was charged; only a long one draws on the budget."""
        self._charged[self.lane] += seconds
        if seconds >= min(usual, _SHORT_IMPORT):
            self._draw(seconds, usual)

    def wait_for_disk(self, seconds: float) -> float:
        """Records that a worker waited for the disk; returns the seconds that are charged."""
        self._waited[self.lane] += seconds
        return seconds if sum(self._waited) > _DISK_SECONDS else 0.0

    def _draw(self, seconds: float, usual: float) -> None:
        """Draws seconds, rounded up to 1, 2, 4 … or to the limit.

        Sleep is sampled, and the CPU time of the same work varies by some per cent. That should not
        decide which test gets the last of the budget.
        """
        if seconds > 0:
            self._drawn[self.lane] += min(usual, 2.0 ** math.ceil(math.log2(seconds)))

    @property
    def is_over(self) -> bool:
        """Whether the time limit of the whole grading has passed."""
        return self._now() >= self._deadline

    def check_end(self) -> None:
        """Raises once the time limit of the whole grading has passed.

        SubmissionFailure if the submission used up the time, GraderFault if a slow machine did.
        """
        if not self.is_over:
            return
        if self._submission_is_to_blame:
            raise SubmissionFailure(Cause.TIMEOUT, "the grading's time was up")
        raise GraderFault(
            "the time limit of the grading was too short for this machine: the submission drew "
            f"{self.drawn:g} of its {self.seconds:g} s of budget, and was charged "
            f"{self.charged:.0f} s in all; raise the time limit"
        )

    @property
    def _submission_is_to_blame(self) -> bool:
        """Whether the submission used up the grading's time, rather than the machine.

        It did if it spent the full budget, or was charged more than half of the time since the
        plan. A budget that was reduced to fit does not count: one test could spend it.
        """
        spent = 0 < self._full_seconds <= min(self.drawn, self.charged)
        elapsed = (self._now() - self._began) * min(1.0, self._cores)
        return spent or self.charged > _BLAME_FRACTION * elapsed

    def plan(
        self,
        limits: Iterable[tuple[str, str, float]],
        imports: Iterable[float],
        cores: float,
        further: float = 0.0,
    ) -> None:
        """Computes shares and the bound for these tests; reduces the budget to fit the time limit.

        Args:
            limits: for each test its group, its name, and its usual limit in seconds. A group, such
                as an exercise's public tests, has one share.
            imports: for each module the limit of its import, in seconds.
            cores: the number the grading may use; half a core does half as much in the time limit.
            further: seconds that may be charged after the tests. The bound counts them; they do not
                reduce the budget, since they end with the time limit.
        """
        self._began, self._cores = self._now(), cores
        allowed: dict[str, float] = {}
        all_limits: dict[str, float] = {}
        longest = 0.0
        for group, test, usual in limits:
            longest = max(longest, usual)
            all_limits[group] = all_limits.get(group, 0.0) + usual
            allowed[group] = allowed.get(group, 0.0) + self.times.allowed(test)
        shares = {
            group: min(all_limits[group], max(self._least_share, seconds))
            for group, seconds in allowed.items()
        }
        self._shares = {group: (n, seconds) for n, (group, seconds) in enumerate(shares.items())}
        self._used = _shared_array(len(shares) + 1)
        short_imports = sum(min(usual, _SHORT_IMPORT) for usual in imports)
        # The test or import that draws the last of the budget may exceed it by its limit.
        outside = sum(shares.values()) + _IMPORTS * short_imports + longest + _DISK_SECONDS
        self._outside_budget = outside + further
        if self._time_limit is not None:
            seconds = (self._time_limit - _START_SECONDS) * min(1.0, cores)
            left = seconds - self.times.total - outside
            self.seconds = min(self.seconds, max(0.0, left))

    def record(self) -> Budget:
        """The budget as the grade records it."""
        return Budget(
            seconds=round(self.seconds, 3),
            drawn=round(min(self.drawn, self.seconds), 3),
            bound=round(self.seconds + self._outside_budget, 3),
        )


def _shared_array(length: int) -> memoryview[float]:
    """Numbers, at first 0, that this process shares with those that it forks later."""
    return memoryview(mmap.mmap(-1, 8 * length)).cast("d")
