"""A race: submission and reference by turns, in workers alike, timed by the judge's own clock."""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from assignment import programs
from grader.judge.failure import SubmissionFailure
from grader.judge.proxy import Workers
from grader.judge.timing.contest import Contest, NotMeasured
from grader.judge.timing.seat import Seat
from grader.judge.timing.statistic import (
    LEAST_SPAN,
    LOOKS,
    OURS,
    THEIRS,
    Interval,
    Marks,
    interval,
    places,
    quad_ratio,
)
from grader.results.causes import Cause
from grader.results.record import Quad, Timing

_EXACT = 2  # runs whose error against the exact result is found
_ALONE = 4  # quads of reference and naive program, before the submission's first
_VOID = 16  # quads that may be void, beside half of all, before a race is given up
_SLOWEST = 3.0  # times what our programs took, and
_SLACK = 1.0  # seconds: no run and no warm-up takes longer
_ROUNDING = 1e-6  # relative error that is always allowed
_FLOOR = 0.95  # of the time that the hardware's peak allows


class Suspicious(Exception):
    """Faster than the hardware can be: a person must look."""


@dataclass
class Race(Contest):
    """One program's race.

    Args:
        floor: seconds that no right program can go below, or 0.
    """

    floor: float = 0.0
    quads: list[Quad] = field(default_factory=list)
    _naive_quads: list[Quad] = field(default_factory=list)
    _allowed: list[float] = field(default_factory=list)  # error of each tensor, relative
    _alone: float = 0.0
    _prepared: float = 0.0  # the longest warm-up of a program of ours
    # Seconds that a warm-up and a run may take; the worker's limit as long as nothing is known.
    _patience: tuple[float | None, float | None] = (None, None)

    def run(self) -> Timing:
        """Races until the interval lies in one band of marks, or has been looked at often enough.

        Raises:
            SubmissionFailure: the submission did not answer, or not rightly.
            NotMeasured: naive and reference are too alike here, or the device is too unsteady.
            Suspicious: the submission is faster than the hardware's peak.
            GraderFault: the reference or the naive program failed.
        """
        with self.device.exclusively():
            with self.trusted():
                self._learn_errors()
                naive = self._learn_times()
            if naive < LEAST_SPAN:
                raise NotMeasured(
                    f"on {self.device.name} the naive {self.program} takes {naive:.2f} times the "
                    f"reference's time; expected at least {LEAST_SPAN}"
                )
            marks = Marks(naive)
            ds: list[float] = []
            for look in LOOKS:
                while len(ds) < look:
                    seconds = self._steady_quad(self.entrants.submission, self.quads)
                    ds.append(quad_ratio(seconds))
                found = interval(ds)
                if marks.decided(found):
                    break
        return self._timing(found, marks)

    def _timing(self, found: Interval, marks: Marks) -> Timing:
        fastest = min(s for quad in self.quads for s in places(quad.seconds, OURS))
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
            naive_quads=tuple(self._naive_quads),
        )

    def _learn_errors(self) -> None:
        """How far a right output may be from the reference's.

        A submission's error against the exact result may be twice the reference's; so it may be
        three times that from the reference itself.
        """
        most: list[float] = []
        for _ in range(_EXACT):
            seed, start = self.draw()
            with self._seat(self.entrants.reference, seed) as seat:
                _, output = seat.run(start)
            with self._seat(self.entrants.naive, seed) as seat:
                found = programs.errors(output, seat.exact(start))
            most = list(map(max, found, most or found))
        self._allowed = [3 * error + _ROUNDING for error in most]

    def _learn_times(self) -> float:
        """Naive / reference, from quads of theirs, before the submission has run."""
        naive = self.entrants.naive
        quads = [self._steady_quad(naive, self._naive_quads) for _ in range(_ALONE)]
        self._alone = statistics.median(s for seconds in quads for s in places(seconds, THEIRS))
        warm_up, run = self._prepared, max(map(max, quads))
        self._patience = (_SLOWEST * warm_up + _SLACK, _SLOWEST * run + _SLACK)
        return math.exp(statistics.median(map(quad_ratio, quads)))

    def _steady_quad(self, who: Workers, kept: list[Quad]) -> tuple[float, ...]:
        """The seconds of the next quad that is not void; void ones are kept as well."""
        while True:
            kept.append(quad := self._quad(who))
            if not quad.void:
                return quad.seconds
            void = sum(bool(quad.void) for quad in kept)
            if void > _VOID + len(kept) // 2:
                raise NotMeasured(f"{self.device.name} is too unsteady: {quad.void}")

    def _quad(self, who: Workers) -> Quad:
        """Rounds of S R R S in fresh workers, until they took as long as the device asks for."""
        seed, _ = self.draw()
        seconds: list[float] = []
        disturbed = set()
        with self._seat(who, seed) as ours, self._seat(self.entrants.reference, seed) as theirs:
            while not seconds or sum(seconds) < self.device.span:
                outputs = []
                # The outer and the inner pair share a start: each output has its like.
                one, other = self.draw()
                for seat, start in ((ours, one), (theirs, one), (theirs, other), (ours, other)):
                    with self.trusted() if seat is theirs else contextlib.nullcontext():
                        took, output = seat.run(start)
                    seconds.append(took)
                    outputs.append(output)
                    disturbed.add(self.device.disturbed())
                self._accept(outputs[0], outputs[1])
                self._accept(outputs[3], outputs[2])
        void = ", ".join(sorted(disturbed - {""})) or self._unsteady(seconds)
        return Quad(seconds=tuple(seconds), void=void)

    def _unsteady(self, seconds: list[float]) -> str:
        """Whether the reference's runs in a quad tell of a device that is not itself."""
        one, other = (statistics.median(places(seconds, [place])) for place in THEIRS)
        if (apart := max(one, other) / min(one, other) - 1) > self.device.wobble:
            return f"two runs of the reference were {apart:.0%} apart"
        drift = math.sqrt(one * other) / self._alone - 1 if self._alone else 0.0
        if abs(drift) > self.device.drift:
            return f"the reference drifted by {drift:+.1%}"
        return ""

    def _accept(self, found: Any, reference: Any) -> None:
        if reason := programs.unacceptable(found, reference, self._allowed):
            raise SubmissionFailure(Cause.WRONG_ANSWER, f"{self.program}: {reason}")

    @contextmanager
    def _seat(self, who: Workers, seed: int) -> Iterator[Seat]:
        seat = Seat(self, who, seed, self._patience)
        try:
            yield seat
        finally:
            seat.close()
            if who is not self.entrants.submission:
                self._prepared = max(self._prepared, seat.prepared)
