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
from grader.judge.race_fixtures import TimingPlugin
from grader.judge.schedule import Conditions, Lane, Scheduler
from grader.judge.session import GraderPlugin, run_pytest
from grader.judge.verdict import GradedTest, Outcome
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
        repository: where the tests are.
        zygotes: of each lane; asked for after the tests are collected, since until then the first
            zygote starts, on another core.
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
        repository: Path,
        zygotes: Callable[[], Sequence[Zygote]],
        submission: Path,
        budget: TimeBudget,
        options: RunOptions,
        timing: TimingRunner | None,
    ) -> None:
        self._manifest, self._repository = manifest, repository
        self._zygotes, self._submission = zygotes, submission
        self._budget, self._options, self._timing = budget, options, timing
        self._plugin = GraderPlugin(
            manifest, repository / "tests" / "public", self._run_collected, options.only
        )
        self._first: WorkerPool | None = None  # a forked lane closes its own pool
        self.preflight = Preflight()
        self.outcomes: list[Outcome] = []
        self.faults: list[str] = []
        self.further: FurtherRuns | None = None

    def run(self) -> None:
        """Collects and runs the tests. Afterwards no process of the submission is left.

        Raises:
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the grader failed as a whole.
        """
        timing, options = self._timing, self._options
        try:
            run_pytest(
                self._repository,
                self._plugin,
                options.folders,
                options.nonce,
                only=options.only,
                others=[TimingPlugin(timing, options.nonce)] if timing is not None else [],
            )
        finally:
            self.faults += self._close()
            if timing is not None:
                timing.close()

    def _run_collected(self, tests: Sequence[GradedTest]) -> None:
        """Imports the submission's modules, then runs the tests."""
        limits = [
            (test.group, test.name, test.limits.seconds) for test in tests if not test.on_device
        ]
        imports = [self._manifest.limits.seconds] * (len(self._manifest.modules) + 1)
        seeded = seeded_tests(tests) if self._options.further_seeds else ()
        further = most_seconds(len(seeded), self._manifest.exercise_seconds)
        self._budget.plan(limits, imports, cores(), further)
        lanes = [self._lane(zygote) for zygote in self._zygotes()]
        self._first = first = lanes[0].pool
        compile_ahead(first, self._manifest)
        options = self._options
        self.preflight = preflight(first, self._manifest, options.only, options.nonce)
        conditions = Conditions(self.preflight, self._budget, options.counted, self._can_measure)
        scheduler = Scheduler(self._manifest, lanes, conditions, self._plugin.run, options.on_check)
        self.outcomes = scheduler.run(tests)
        if options.further_seeds:
            self._run_further(tests, first)

    def _run_further(self, tests: Sequence[GradedTest], pool: WorkerPool) -> None:
        """Runs public tests with further seeds, once the workers of all other tests are gone."""
        again = tests_to_repeat(tests, [outcome.check for outcome in self.outcomes])
        self.faults += self._close()
        if again and not self.faults:
            self._first = None  # it is closed, and what happens to it now is no fault
            further = FurtherSeeds(self._plugin.run, pool, self._manifest.exercise_seconds)
            self.further = further.search(again)

    def _close(self) -> list[str]:
        """Ends every process that ran the submission; returns a fault if that failed."""
        if self._first is not None:
            try:
                self._first.close()
                self._first.zygote.drain()
            except GraderFault as fault:
                return [str(fault)]
        return []

    def _lane(self, zygote: Zygote) -> Lane:
        package = self._manifest.package
        pool = WorkerPool(zygote, self._submission, package, budget=self._budget)
        return Lane(pool, sandboxed(pool, self._options.nonce, self._options.counted))

    def _can_measure(self, exercise: Exercise) -> bool:
        return self._timing is not None and self._timing.device_of(exercise) is not None
