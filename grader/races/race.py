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
            log_ratios: list[float] = []
            for look in self.rules.looks:
                while len(log_ratios) < look:
                    seconds = self._steady_block(self.parties.submission, self.blocks)
                    log_ratios.append(block_log_ratio(seconds))
                interval = self.rules.interval(log_ratios)
                if marks.decided(interval):
                    break
        return self._timing(interval, marks, floor)

    def _floor(self) -> float:
        """The least seconds of a run by the device's data sheet; 0 on a CPU.

        Raises NotMeasured if the device has no data sheet here.
        """
        if self.device.kind == "cpu":
            return 0.0
        work = self.program_class.work(self.sizes)
        known = hardware.load()
        try:
            sheet = known.reported(self.device.name)
        except hardware.HardwareError as error:
            raise NotMeasured(str(error)) from error
        return max(work.flops / max(sheet.peak_flops.values()), work.moved / sheet.bandwidth)

    def _timing(self, interval: Interval, marks: Marks, floor: float) -> Timing:
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
            ratio=interval.ratio,
            low=interval.low,
            high=interval.high,
            mark=marks.earned(interval),
            quads=tuple(self.blocks),
            naive_quads=tuple(self._naive_blocks),
        )

    def _learn_errors_and_runs(self) -> None:
        """Sets how far a correct output may be from the reference's, and the runs of a place.

        The error of an output is its distance from the exact result (`programs.exact`). A
        submission's error may be twice as large as the reference's error, so the distance between
        the two outputs may be three times as large as the reference's error.
        """
        errors: list[float] = []
        seconds: list[float] = []
        for _ in range(_EXACT_RUNS):
            seed, start = self.draw()
            with self._worker(self.parties.reference, seed) as worker:
                took, (output,) = worker.run([start], 0.0)
                seconds.append(took)
            with self._worker(self.parties.naive, seed, warm_ups=0) as worker:
                found = programs.errors(output, worker.exact(start))
            errors = list(map(max, found, errors or found))
        self._allowed = [3 * error + _ROUNDING for error in errors]
        runs = self.rules.place_seconds / statistics.mean(seconds)
        self._runs = min(max(math.ceil(runs), 1), MAX_RUNS)

    def _learn_times(self) -> float:
        """Returns the times' ratio naive / reference; also sets the timeouts of all later runs."""
        naive, count = self.parties.naive, self.rules.naive_blocks
        blocks = [self._steady_block(naive, self._naive_blocks) for _ in range(count)]
        self._reference_seconds = statistics.median(
            s for seconds in blocks for s in places(seconds, REFERENCE)
        )
        slack, longest = self.rules.slack, max(map(max, blocks))
        self._timeouts = (_SLOWEST * self._warm_up_seconds + slack, _SLOWEST * longest + slack)
        return math.exp(statistics.median(map(block_log_ratio, blocks)))

    def _steady_block(self, contender: WorkerPool, kept: list[Block]) -> tuple[float, ...]:
        """Runs blocks until one is not void; returns its seconds. Void ones are kept as well."""
        while True:
            kept.append(block := self._block(contender))
            if not block.void:
                return block.seconds
            void = sum(bool(block.void) for block in kept)
            if void > _MAX_VOID + len(kept) // 2:
                raise NotMeasured(f"{self.device.name} is too unsteady: {block.void}")

    def _block(self, contender: WorkerPool) -> Block:
        """Runs rounds of S R R S in fresh workers, until they took as long as the rules demand.

        S is the contender: the submission or the naive program. R is the reference. Raises
        SubmissionFailure if an output is too far from the reference's.
        """
        seed, _ = self.draw()
        is_naive = contender is self.parties.naive
        warm_ups = self.rules.naive_warm_ups if is_naive else programs.WARM_UPS
        seconds: list[float] = []
        disturbed = set()
        with (
            self._worker(contender, seed, warm_ups) as contending,
            self._worker(self.parties.reference, seed) as reference,
        ):
            while not seconds or sum(seconds) < self.rules.block_seconds:
                outputs = []
                # Two neighbours, S R or R S, share starts, so that their outputs can be compared.
                first, second = zip(*(self.draw() for _ in range(self._runs)), strict=True)
                # The reference makes all runs, so that there is an output to compare with each.
                enough = self.rules.place_seconds
                for worker, starts, limit in (
                    (contending, first, enough),
                    (reference, first, math.inf),
                    (reference, second, math.inf),
                    (contending, second, enough),
                ):
                    with self.trusted() if worker is reference else contextlib.nullcontext():
                        took, found = worker.run(starts, limit)
                    seconds.append(took)
                    outputs.append(found)
                    disturbed.add(self.device.disturbance())
                for theirs, ours in ((outputs[0], outputs[1]), (outputs[3], outputs[2])):
                    for output, expected in zip(theirs, ours[: len(theirs)], strict=True):
                        self.accept(output, expected, self._allowed)
        void = ", ".join(sorted(disturbed - {""})) or self._unsteady(seconds)
        return Block(seconds=tuple(seconds), void=void)

    def _unsteady(self, seconds: list[float]) -> str:
        """Why the reference's runs in a block show an unsteady device, or ""."""
        first, second = (statistics.median(places(seconds, [place])) for place in REFERENCE)
        if (apart := max(first, second) / min(first, second) - 1) > self.rules.max_spread:
            return f"two runs of the reference were {apart:.0%} apart"
        usual = self._reference_seconds
        drift = math.sqrt(first * second) / usual - 1 if usual else 0.0
        if abs(drift) > self.rules.max_drift:
            return f"the reference drifted by {drift:+.1%}"
        return ""

    @contextmanager
    def _worker(
        self, party: WorkerPool, seed: int, warm_ups: int = programs.WARM_UPS
    ) -> Iterator[TimedWorker]:
        """A worker that starts and warms up at its first run; notes how long ours warm up."""
        worker = TimedWorker(self, party, seed, self._timeouts, warm_ups)
        try:
            yield worker
        finally:
            worker.close()
            if party is not self.parties.submission:
                self._warm_up_seconds = max(self._warm_up_seconds, worker.warm_up_seconds)
