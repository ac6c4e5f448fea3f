"""A race: submission and reference by turns, in workers alike, timed by the judge's own clock."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assignment import programs
from assignment.manifest import Limits
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.proxy import Workers
from grader.judge.timing.device import Device
from grader.judge.timing.statistic import LEAST_SPAN, LOOKS, Interval, Marks, interval, quad_ratio
from grader.results.causes import Cause
from grader.results.record import Quad, Timing

_ALONE = 4  # runs of the reference, and of the naive program, before the submission's first
_VOID = 16  # quads that may be void, beside half of all, before a race is given up
_SLOWEST = 3.0  # times what our programs took, and
_SLACK = 1.0  # seconds: no run and no warm-up takes longer
_ROUNDING = 1e-6  # relative error that is always allowed
_FLOOR = 0.95  # of the time that the hardware's peak allows


class NotMeasured(Exception):
    """This device, at this time, does not tell a good program from a bad one."""


class Suspicious(Exception):
    """Faster than the hardware can be: a person must look."""


@dataclass(frozen=True)
class Entrants:
    """Where each party's workers come from."""

    submission: Workers
    reference: Workers
    naive: Workers


@dataclass
class Race:
    """One program's race on one device.

    Args:
        program: its name in `assignment/programs.py`.
        entrants: who runs.
        device: where.
        limits: of each worker.
        rng: draws seeds and starts; nobody can know them before.
        floor: seconds that no right program can go below, or 0.
    """

    program: str
    entrants: Entrants
    device: Device
    limits: Limits
    rng: np.random.Generator
    floor: float = 0.0
    quads: list[Quad] = field(default_factory=list)
    _allowed: list[float] = field(default_factory=list)
    _alone: float = 0.0
    _longest: float = 0.0  # that a run may take, once it is known; and that a warm-up may
    _warming: float = 0.0
    _prepared: float = 0.0  # the longest warm-up of a program of ours

    def __post_init__(self) -> None:
        self.sizes = programs.find(self.program).sizes_on(self.device.kind, self.device.memory)

    def run(self) -> Timing:
        """Races until the interval lies in one band of marks, or has been looked at often enough.

        Raises:
            SubmissionFailure: the submission did not answer, or not rightly.
            NotMeasured: naive and reference are too alike here, or the device is too unsteady.
            Suspicious: the submission is faster than the hardware's peak.
            GraderFault: the reference or the naive program failed.
        """
        with self.device.exclusively():
            marks = self._marks()
            ds: list[float] = []
            for look in LOOKS:
                while len(ds) < look:
                    quad = self._quad()
                    self.quads.append(quad)
                    if quad.void:
                        self._give_up_if_unsteady()
                        continue
                    first, second, third, last = quad.seconds
                    ds.append(quad_ratio(first, (second, third), last))
                found = interval(ds)
                if marks.decided(found):
                    break
        return self._timing(found, marks)

    def _timing(self, found: Interval, marks: Marks) -> Timing:
        fastest = min(min(q.seconds[0], q.seconds[3]) for q in self.quads)
        if fastest < _FLOOR * self.floor:
            raise Suspicious(
                f"{self.program} took {fastest:.3g} s; {self.device.name} needs {self.floor:.3g} s"
            )
        return Timing(
            program=self.program,
            device=self.device.name,
            sizes=dict(self.sizes),
            reference_seconds=self._alone,
            naive_ratio=marks.naive,
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            mark=marks.given(found),
            quads=tuple(self.quads),
        )

    def _marks(self) -> Marks:
        """The reference alone, before the submission has run; and what the naive program takes.

        A submission's error against the exact result may be twice the reference's; so it may be
        three times that from the reference itself.
        """
        alone, naive = [], []
        for i in range(_ALONE):
            seed, start = self._draw()
            took, output, _ = self._trusted(self.entrants.reference, seed, start)
            alone.append(took)
            took, _, exactly = self._trusted(self.entrants.naive, seed, start, exactly=i < 2)
            naive.append(took)
            if exactly is not None:
                found = programs.errors(output, exactly)
                self._allowed = list(map(max, found, self._allowed or found))
        self._allowed = [3 * error + _ROUNDING for error in self._allowed]
        self._alone = statistics.median(alone)
        self._longest = _SLOWEST * max(naive) + _SLACK
        self._warming = _SLOWEST * self._prepared + _SLACK
        ratio = statistics.median(naive) / self._alone
        if ratio < LEAST_SPAN:
            raise NotMeasured(
                f"on {self.device.name} the naive {self.program} takes {ratio:.2f} times the "
                f"reference's time; expected at least {LEAST_SPAN}"
            )
        return Marks(ratio)

    def _quad(self) -> Quad:
        """Submission, reference, reference, submission: the outer and inner pairs share inputs."""
        pairs = (self._draw(), self._draw())
        seconds: list[float] = []
        outputs: list[Any] = []
        slowed = []
        for who, pair in (
            (self.entrants.submission, pairs[0]),
            (self.entrants.reference, pairs[0]),
            (self.entrants.reference, pairs[1]),
            (self.entrants.submission, pairs[1]),
        ):
            ours = who is self.entrants.submission
            took, output, _ = (self._timed if ours else self._trusted)(who, *pair)
            seconds.append(took)
            outputs.append(output)
            slowed.append(self.device.disturbed())
            if len(outputs) == 2:
                self._accept(outputs[0], outputs[1])
        self._accept(outputs[3], outputs[2])
        void = ", ".join(sorted(set(filter(None, slowed)))) or self._unsteady(*seconds[1:3])
        return Quad(seconds=tuple(seconds), void=void)

    def _unsteady(self, one: float, other: float) -> str:
        """Whether the reference's two runs of a quad tell of a device that is not itself."""
        if (apart := max(one, other) / min(one, other) - 1) > self.device.wobble:
            return f"two runs of the reference were {apart:.0%} apart"
        drift = math.sqrt(one * other) / self._alone - 1
        if abs(drift) > self.device.drift:
            return f"the reference drifted by {drift:+.1%}"
        return ""

    def _accept(self, found: Any, reference: Any) -> None:
        if reason := programs.unacceptable(found, reference, self._allowed):
            raise SubmissionFailure(Cause.WRONG_ANSWER, f"{self.program}: {reason}")

    def _trusted(
        self, who: Workers, seed: int, start: int, exactly: bool = False
    ) -> tuple[float, Any, Any]:
        """The same of a program of ours, whose failure is not the submission's."""
        try:
            return self._timed(who, seed, start, exactly)
        except GraderFault:
            raise
        except Exception as error:  # of any built-in class, as its code raised it
            raise GraderFault(f"{self.program} of ours failed: {error}") from error

    def _timed(
        self, who: Workers, seed: int, start: int, exactly: bool = False
    ) -> tuple[float, Any, Any]:
        """One run in a fresh worker: its seconds, its output, and perhaps the exact one."""
        worker, _ = who.start(self.limits, int(self.rng.integers(2**63)))
        try:
            inputs = (self.program, self.device.kind, self.sizes, seed)
            most = self._longest or self.limits.seconds
            begun = time.perf_counter()
            worker.call("programs.prepare", inputs, {}, self._warming or self.limits.seconds)
            self._prepared = max(self._prepared, time.perf_counter() - begun)
            begun = time.perf_counter()
            output = worker.call("programs.run", (self.program, start), {}, most)
            took = time.perf_counter() - begun
            exact = worker.call("programs.exact", (*inputs, start), {}) if exactly else None
            return took, output, exact
        finally:
            worker.kill()

    def _give_up_if_unsteady(self) -> None:
        void = [quad.void for quad in self.quads if quad.void]
        if len(void) > _VOID + len(self.quads) // 2:
            raise NotMeasured(f"{self.device.name} is too unsteady: {void[-1]}")

    def _draw(self) -> tuple[int, int]:
        seed, start = self.rng.integers(2**62, size=2)
        return int(seed), int(start)
