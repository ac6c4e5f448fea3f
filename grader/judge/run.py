"""Runs all tests on one submission: everything here belongs to this submission alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assignment.manifest import Manifest
from grader.faults import GraderFault
from grader.judge.further_seeds import FurtherSeeds, most_seconds, seeded_tests, tests_to_repeat
from grader.judge.implementation import sandboxed
from grader.judge.preflight import Preflight, compile_ahead, preflight
from grader.judge.schedule import Conditions, Lane, Scheduler
from grader.judge.session import Session
from grader.judge.verdict import Outcome
from grader.machine import cores
from grader.races.runner import TimingRunner
from grader.results.record import Check, FurtherRuns, Visibility
from grader.supervisor.budget import TimeBudget
from grader.supervisor.pool import WorkerPool
from grader.supervisor.zygote import Zygote


@dataclass(kw_only=True)
class SubmissionRun:
    """One run. Call `run` once."""

    manifest: Manifest
    session: Session
    zygotes: Sequence[Zygote]  # one for each lane
    submission: Path  # as it was staged
    budget: TimeBudget
    timing: TimingRunner | None  # runs tests on a device; None if none are run
    counted: Visibility  # which tests carry points
    only: Collection[str]  # this and the next four: as in `Grader.grade`
    nonce: str
    further_seeds: bool
    fresh: bool
    on_check: Callable[[Check], None]
    preflight: Preflight = field(default_factory=Preflight)
    outcomes: list[Outcome] = field(default_factory=list)  # of all tests, once they have run
    faults: list[str] = field(default_factory=list)  # what went wrong after the tests
    further: FurtherRuns | None = None
    _first_pool: WorkerPool | None = None  # a forked lane closes its own pool

    def run(self) -> None:
        """Runs the tests. Afterwards no process of the submission is left."""
        try:
            self._import_and_run()
        finally:
            self.faults += self._close()
            if self.timing is not None:
                self.timing.close()

    def _import_and_run(self) -> None:
        """Imports the submission's modules, then runs the tests."""
        tests = self.session.tests
        test_limits = [
            (test.group, test.name, test.limits.seconds) for test in tests if not test.on_device
        ]
        import_limits = [self.manifest.limits.seconds] * (len(self.manifest.modules) + 1)
        seeded = seeded_tests(tests) if self.further_seeds else ()
        further_seconds = most_seconds(len(seeded), self.manifest.exercise_seconds)
        self.budget.plan(test_limits, import_limits, cores(), further_seconds)
        lanes = [self._lane(zygote) for zygote in self.zygotes]
        self._first_pool = first = lanes[0].pool
        compile_ahead(first, self.manifest)
        self.preflight = preflight(first, self.manifest, self.only, self.nonce)
        conditions = Conditions(self.preflight, self.budget, self.counted, self.timing)
        scheduler = Scheduler(lanes, conditions, self.session.run, self.on_check)
        self.outcomes = scheduler.run(tests)
        if self.further_seeds:
            self._run_further(first)

    def _run_further(self, pool: WorkerPool) -> None:
        """Ends all workers, then runs public tests with further seeds if there is no fault."""
        again = tests_to_repeat(self.session.tests, [outcome.check for outcome in self.outcomes])
        self.faults += self._close()
        if again and not self.faults:
            self._first_pool = None  # it is closed, and what happens to it now is no fault
            further = FurtherSeeds(self.session.run, pool, self.manifest.exercise_seconds)
            self.further = further.search(again)

    def _close(self) -> list[str]:
        """Ends every process that ran the submission; returns a fault if that failed."""
        if self._first_pool is not None:
            try:
                self._first_pool.close()
                self._first_pool.zygote.drain()
            except GraderFault as fault:
                return [str(fault)]
        return []

    def _lane(self, zygote: Zygote) -> Lane:
        """Tests that may share workers do so first, as `schedule.py` says; with `fresh` none do."""
        pool = WorkerPool(zygote, self.submission, self.manifest.package, budget=self.budget)
        own = sandboxed(pool, self.nonce, self.timing)
        shared = sandboxed(pool, self.nonce, self.timing, shared=True)
        return Lane(pool, (own,) if self.fresh else (shared, own))
