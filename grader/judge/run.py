"""Runs all tests on one submission: everything here belongs to this submission alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assignment.manifest import Exercise, Manifest
from grader.faults import GraderFault
from grader.judge.further_seeds import (
    FurtherSeeds,
    most_seconds,
    seeded_tests,
    tests_to_repeat,
)
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


@dataclass(frozen=True)
class RunOptions:
    """What is asked of one run.

    Attributes:
        folders: of tests, below `tests`.
        only: exercises to run; all if empty.
        nonce: seeds inputs, workers and imports.
        counted: which tests carry points.
        on_check: called with each check as it comes.
        further_seeds: whether public tests run with further seeds after a hidden one failed.
    """

    folders: tuple[str, ...]
    only: frozenset[str]
    nonce: str
    counted: Visibility
    on_check: Callable[[Check], None]
    further_seeds: bool


class SubmissionRun:
    """One run. Call `run` once.

    Args:
        manifest: the assignment.
        session: the tests.
        zygotes: one for each lane.
        submission: the staged submission.
        budget: of time: each exercise's share, and what slower tests draw on.
        options: what is asked for.
        timing: runs tests on a device; None if none are run.

    Attributes:
        preflight: what importing the submission showed.
        outcomes: of all tests, once they have run.
        faults: what went wrong after the tests.
        further: the runs with further seeds, if there were any.
    """

    def __init__(
        self,
        manifest: Manifest,
        session: Session,
        zygotes: Sequence[Zygote],
        submission: Path,
        budget: TimeBudget,
        options: RunOptions,
        timing: TimingRunner | None,
    ) -> None:
        self._manifest, self._session = manifest, session
        self._zygotes, self._submission = zygotes, submission
        self._budget, self._options, self._timing = budget, options, timing
        self._first_pool: WorkerPool | None = None  # a forked lane closes its own pool
        self.preflight = Preflight()
        self.outcomes: list[Outcome] = []
        self.faults: list[str] = []
        self.further: FurtherRuns | None = None

    def run(self) -> None:
        """Runs the tests. Afterwards no process of the submission is left.

        Raises:
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the grader failed as a whole.
        """
        try:
            self._import_and_run()
        finally:
            self.faults += self._close()
            if self._timing is not None:
                self._timing.close()

    def _import_and_run(self) -> None:
        """Imports the submission's modules, then runs the tests."""
        tests = self._session.tests
        limits = [
            (test.group, test.name, test.limits.seconds) for test in tests if not test.on_device
        ]
        imports = [self._manifest.limits.seconds] * (len(self._manifest.modules) + 1)
        seeded = seeded_tests(tests) if self._options.further_seeds else ()
        further = most_seconds(len(seeded), self._manifest.exercise_seconds)
        self._budget.plan(limits, imports, cores(), further)
        lanes = [self._lane(zygote) for zygote in self._zygotes]
        self._first_pool = first = lanes[0].pool
        compile_ahead(first, self._manifest)
        options = self._options
        self.preflight = preflight(first, self._manifest, options.only, options.nonce)
        conditions = Conditions(self.preflight, self._budget, options.counted, self._can_measure)
        scheduler = Scheduler(lanes, conditions, self._session.run, options.on_check)
        self.outcomes = scheduler.run(tests)
        if options.further_seeds:
            self._run_further(first)

    def _run_further(self, pool: WorkerPool) -> None:
        """Ends all workers, then runs public tests with further seeds if there is no fault."""
        again = tests_to_repeat(self._session.tests, [outcome.check for outcome in self.outcomes])
        self.faults += self._close()
        if again and not self.faults:
            self._first_pool = None  # it is closed, and what happens to it now is no fault
            further = FurtherSeeds(self._session.run, pool, self._manifest.exercise_seconds)
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
        package = self._manifest.package
        pool = WorkerPool(zygote, self._submission, package, budget=self._budget)
        context = sandboxed(pool, self._options.nonce, self._options.counted, self._timing)
        return Lane(pool, context)

    def _can_measure(self, exercise: Exercise) -> bool:
        return self._timing is not None and self._timing.device_of(exercise) is not None
