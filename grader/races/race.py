"""A race: submission and reference run alternately in like workers, on the judge's own clock."""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from assignment import hardware, programs
from grader.faults import NotMeasured, Suspicious
from grader.races.on_device import DeviceTest
from grader.races.statistic import (
    CONTENDER,
    MAX_RUNS,
    REFERENCE,
    Interval,
    Marks,
    block_log_ratio,
    places,
)
from grader.races.timed_worker import TimedWorker
from grader.results.record import Block, Timing
from grader.supervisor.pool import WorkerPool

_EXACT_RUNS = 2  # whose error against the exact result is measured
_MAX_VOID = 16  # void blocks, beside half of all, before a race is given up
_SLOWEST = 3.0  # times what our programs took: the timeout of a run or warm-up, without slack
_ROUNDING = 1e-6  # relative error that is always allowed
_FLOOR = 0.95  # of the time that the hardware's peak allows


@dataclass
class Race(DeviceTest):
    """The race of one program."""

    blocks: list[Block] = field(default_factory=list)
    _naive_blocks: list[Block] = field(default_factory=list)
    _allowed: list[float] = field(default_factory=list)  # error of each tensor, relative
    _reference_seconds: float = 0.0
    _runs: int = 1  # of the reference in a place of a round, and the most of others
    _warm_up_seconds: float = 0.0  # the longest of a program of ours
    # Of a warm-up and of a run; the worker's limit until our programs have been timed.
    _timeouts: tuple[float | None, float | None] = (None, None)

    def run(self) -> Timing:
        """Races until the interval lies in one band of marks, at most until the last look.

        Raises:
            SubmissionFailure: the submission gave no answer, or a wrong one.
            NotMeasured: naive and reference are too alike here, or the device is too unsteady.
            Suspicious: the submission is faster than the hardware's peak.
            GraderFault: the reference or the naive program failed.
        """
        floor = self._floor()
        with self.device.exclusively():
            with self.trusted():
                self._learn_errors_and_runs()
                naive = self._learn_times()
            if naive < self.rules.least_span:
                raise NotMeasured(
                    f"on {self.device.name} the naive {self.program} takes {naive:.2f} times the "
                    f"reference's time; expected at least {self.rules.least_span}"
                )
            marks = Marks(naive)
            ds: list[float] = []
            for look in self.rules.looks:
                while len(ds) < look:
                    seconds = self._steady_block(self.parties.submission, self.blocks)
                    ds.append(block_log_ratio(seconds))
                found = self.rules.interval(ds)
                if marks.decided(found):
                    break
        return self._timing(found, marks, floor)

    def _floor(self) -> float:
        """The least seconds by the device's data sheet (else NotMeasured is raised); 0 on a CPU."""
        if self.device.kind == "cpu":
            return 0.0
        work = self.kind.work(self.sizes)
        known = hardware.load()
        try:
            found = known.reported(self.device.name)
        except hardware.HardwareError as error:
            raise NotMeasured(str(error)) from error
        return max(work.flops / max(found.peak_flops.values()), work.moved / found.bandwidth)

    def _timing(self, found: Interval, marks: Marks, floor: float) -> Timing:
        """The result; raises Suspicious if a run took less than the hardware needs."""
        fastest = min(s for block in self.blocks for s in places(block.seconds, CONTENDER))
        if fastest < _FLOOR * floor:
            raise Suspicious(
                f"{self.program} took {fastest:.3g} s; {self.device.name} needs {floor:.3g} s"
            )
        return Timing(
            program=self.program,
            device=self.device.name,
            sizes=dict(self.sizes),
            reference_seconds=self._reference_seconds,
            naive_ratio=marks.naive,
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            mark=marks.given(found),
            quads=tuple(self.blocks),
            naive_quads=tuple(self._naive_blocks),
        )

    def _learn_errors_and_runs(self) -> None:
        """Measures how far a correct output may be from the reference's output.

        The error of an output is its distance from the exact result (`programs.exact`). A
        submission's error may be twice as large as the reference's error, so the distance between
        the two outputs may be three times as large as the reference's error. Also sets how many
        runs a place takes.
        """
        most: list[float] = []
        seconds: list[float] = []
        for _ in range(_EXACT_RUNS):
            seed, start = self.draw()
            with self._worker(self.parties.reference, seed) as worker:
                took, (output,) = worker.run([start], 0.0)
                seconds.append(took)
            with self._worker(self.parties.naive, seed, warm_ups=0) as worker:
                found = programs.errors(output, worker.exact(start))
            most = list(map(max, found, most or found))
        self._allowed = [3 * error + _ROUNDING for error in most]
        expected = self.rules.place_seconds / statistics.mean(seconds)
        self._runs = min(max(math.ceil(expected), 1), MAX_RUNS)

    def _learn_times(self) -> float:
        """Measures naive / reference before the submission runs; also sets the timeouts."""
        naive = self.parties.naive
        count = self.rules.naive_blocks
        blocks = [self._steady_block(naive, self._naive_blocks) for _ in range(count)]
        self._reference_seconds = statistics.median(
            s for seconds in blocks for s in places(seconds, REFERENCE)
        )
        slack, longest = self.rules.slack, max(map(max, blocks))
        self._timeouts = (_SLOWEST * self._warm_up_seconds + slack, _SLOWEST * longest + slack)
        return math.exp(statistics.median(map(block_log_ratio, blocks)))

    def _steady_block(self, who: WorkerPool, kept: list[Block]) -> tuple[float, ...]:
        """Runs blocks until one is not void; returns its seconds. Void ones are kept as well."""
        while True:
            kept.append(block := self._block(who))
            if not block.void:
                return block.seconds
            void = sum(bool(block.void) for block in kept)
            if void > _MAX_VOID + len(kept) // 2:
                raise NotMeasured(f"{self.device.name} is too unsteady: {block.void}")

    def _block(self, who: WorkerPool) -> Block:
        """Runs rounds of S R R S in fresh workers, until they took as long as the rules demand.

        S is the contender: the submission or the naive program. R is the reference.

        Raises:
            SubmissionFailure: an output is too far from the reference's.
        """
        seed, _ = self.draw()
        is_naive = who is self.parties.naive
        warm_ups = self.rules.naive_warm_ups if is_naive else programs.WARM_UPS
        seconds: list[float] = []
        disturbed = set()
        with (
            self._worker(who, seed, warm_ups) as contender,
            self._worker(self.parties.reference, seed) as reference,
        ):
            while not seconds or sum(seconds) < self.rules.block_seconds:
                outputs = []
                # An outer and an inner place share starts, so that outputs can be compared.
                one, other = zip(*(self.draw() for _ in range(self._runs)), strict=True)
                # The reference makes all runs, so that there is an output to compare with each.
                enough = self.rules.place_seconds
                for party, starts, limit in (
                    (contender, one, enough),
                    (reference, one, math.inf),
                    (reference, other, math.inf),
                    (contender, other, enough),
                ):
                    with self.trusted() if party is reference else contextlib.nullcontext():
                        took, found = party.run(starts, limit)
                    seconds.append(took)
                    outputs.append(found)
                    disturbed.add(self.device.disturbance())
                for mine, right in ((outputs[0], outputs[1]), (outputs[3], outputs[2])):
                    for output, expected in zip(mine, right[: len(mine)], strict=True):
                        self.accept(output, expected, self._allowed)
        void = ", ".join(sorted(disturbed - {""})) or self._unsteady(seconds)
        return Block(seconds=tuple(seconds), void=void)

    def _unsteady(self, seconds: list[float]) -> str:
        """Why the reference's runs in a block show an unsteady device, or ""."""
        one, other = (statistics.median(places(seconds, [place])) for place in REFERENCE)
        if (apart := max(one, other) / min(one, other) - 1) > self.rules.max_spread:
            return f"two runs of the reference were {apart:.0%} apart"
        usual = self._reference_seconds
        drift = math.sqrt(one * other) / usual - 1 if usual else 0.0
        if abs(drift) > self.rules.max_drift:
            return f"the reference drifted by {drift:+.1%}"
        return ""

    @contextmanager
    def _worker(
        self, who: WorkerPool, seed: int, warm_ups: int = programs.WARM_UPS
    ) -> Iterator[TimedWorker]:
        """A worker that starts and warms up at its first run; notes how long ours warm up."""
        worker = TimedWorker(self, who, seed, self._timeouts, warm_ups)
        try:
            yield worker
        finally:
            worker.close()
            if who is not self.parties.submission:
                self._warm_up_seconds = max(self._warm_up_seconds, worker.warm_up_seconds)
