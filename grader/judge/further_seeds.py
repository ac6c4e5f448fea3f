"""Runs an exercise's public tests with further seeds after one of its hidden tests has failed.

What this finds is an input with which a student can see, at home, what is wrong. It decides no
mark: it begins when every verdict is there, and no fault in it is a fault of the grading.

Hidden inputs have been in the submission's workers by then. So nothing that the submission says in
these runs is kept for the student, only which public test fails with which seed. The seeds are the
same in every grading: they tell nothing of its nonce, and a student can repeat them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec

from assignment.hooks import SEEDED_FIXTURES, nonce_of, seed_of
from grader import signals
from grader.causes import Cause
from grader.faults import GraderFault
from grader.judge.effort import Effort
from grader.judge.implementation import GradedImplementation
from grader.judge.session import TestContext
from grader.judge.verdict import GradedTest, Outcome
from grader.results.record import Check, FurtherFailure, FurtherRuns
from grader.supervisor.pool import WorkerPool

SEEDS = range(1, 201)
_SECONDS = 20.0  # for all exercises of a grading together


def tests_to_repeat(
    tests: Sequence[GradedTest], checks: Sequence[Check]
) -> dict[str, list[GradedTest]]:
    """The tests that run with further seeds, by exercise.

    All public tests of such an exercise passed, and a hidden one failed. There are none after a
    fault of the grader: such a grade is shown to nobody.
    """
    if any(check.cause is Cause.GRADER_FAULT for check in checks):
        return {}
    failing = {c.exercise for c in checks if c.visibility == "hidden" and c.state == "failed"}
    failing -= {c.exercise for c in checks if c.visibility == "public" and c.state != "passed"}
    return {name: found for name, found in seeded_tests(tests).items() if name in failing}


def seeded_tests(tests: Sequence[GradedTest]) -> dict[str, list[GradedTest]]:
    """The public tests that draw their inputs from a seed and need no device, by exercise."""
    found: dict[str, list[GradedTest]] = {}
    for test in tests:
        is_seeded = SEEDED_FIXTURES & set(getattr(test.item, "fixturenames", ()))
        if is_seeded and test.visibility == "public" and not test.on_device:
            found.setdefault(test.exercise.id, []).append(test)
    return found


def most_seconds(exercises: int, exercise_seconds: float) -> float:
    """What the runs of this many exercises may use together."""
    return min(_SECONDS, exercises * exercise_seconds)


@dataclass
class FurtherSeeds:
    """The runs of one grading."""

    run: Callable[[GradedTest, TestContext], Outcome]
    pool: WorkerPool  # the seeds of an exercise share a worker
    # What all runs of an exercise may use, or less if there are many exercises: the CPU time and
    # sleep of its workers, and the judge's own CPU time.
    exercise_seconds: float
    cpu_seconds: Callable[[], float] = time.process_time  # the judge's own until now
    _left: float = 0.0  # seconds, of the exercise whose tests run
    _runs: int = 0
    _charged: float = 0.0

    def search(self, exercises: dict[str, list[GradedTest]]) -> FurtherRuns:
        """Runs these tests with the further seeds, until one of each exercise fails.

        No worker is left afterwards. What fails in the grader is only noted.
        """
        seconds = most_seconds(len(exercises), self.exercise_seconds) / max(len(exercises), 1)
        failures: list[FurtherFailure] = []
        faults: list[str] = []
        try:
            found = (self._first_failure(tests, seconds) for tests in exercises.values())
            failures.extend(filter(None, found))
        except Exception as error:
            faults.append(f"{type(error).__name__}: {error}")
        finally:
            try:
                self.pool.close()
                self.pool.zygote.drain()
            except Exception as error:
                faults.append(f"{type(error).__name__}: {error}")
        return FurtherRuns(
            runs=self._runs,
            charged=round(self._charged, 3),
            failures=tuple(failures),
            fault="; ".join(faults),
        )

    def _first_failure(self, tests: Sequence[GradedTest], seconds: float) -> FurtherFailure | None:
        """The first failure that comes again in a fresh worker; None if there is none in time.

        What fails only after other tests in a worker, or by chance, could not be repeated at home.
        """
        self._left = seconds
        for seed in SEEDS:
            for test in tests:
                for group in (test.group, ""):
                    check = self._run(test, seed, group)
                    # A test that ends as the time runs out may have failed only for that.
                    if self._left <= 0 or self.pool.budget.is_over:
                        return None
                    if check.state == "passed":
                        break
                else:
                    return FurtherFailure(
                        exercise=check.exercise,
                        test=check.test,
                        title=check.title,
                        seed=seed,
                        cause=check.cause,
                        detail=check.detail,
                    )
        return None

    def _run(self, test: GradedTest, seed: int, group: str) -> Check:
        """Runs a test once and charges its time; raises GraderFault for a fault of the grader."""
        signals.raise_if_stopped()
        before = self.cpu_seconds()
        check = self.run(test, self._context(seed, group)).check
        if check.cause is Cause.GRADER_FAULT:
            raise GraderFault(f"{check.test}, seed {seed}: {check.detail}")
        self._left -= self.cpu_seconds() - before
        self._runs += 1
        return check

    def _context(self, seed: int, group: str) -> TestContext:
        nonce = nonce_of(seed)

        @contextmanager
        def implementation(test: GradedTest) -> Iterator[GradedImplementation]:
            seconds = min(test.limits.seconds, self._left)
            # The seed of a student's own process, so that code that draws numbers does the same.
            made = GradedImplementation(
                self.pool,
                msgspec.structs.replace(test.limits, seconds=seconds),
                seed_of(nonce, test.item.path.stem, test.item.name),
                group,
            )
            try:
                with Effort().bounded():
                    yield made
            finally:
                made.close()
                self._left -= made.charged
                self._charged += made.charged

        return TestContext(nonce, self.pool.zygote.shared_folders, implementation)
