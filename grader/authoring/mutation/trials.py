"""Tries mutants: hidden tests run on each in the sandbox, until the first one fails.

The tests are collected once. What does not matter for a mutant is left out: the preflight check,
and the tests after the first that fails. Public tests run only on what survives the hidden ones.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from grader.authoring.mutation.mutants import Mutant
from grader.authoring.mutation.verdicts import Baseline, Killers, Status, Trial, Verdict
from grader.authoring.variants import copy_reference
from grader.causes import Cause
from grader.intake.stage import stage
from grader.judge.grader import Grader
from grader.judge.implementation import sandboxed
from grader.judge.verdict import GradedTest
from grader.results.record import Check, Visibility
from grader.supervisor.pool import WorkerPool

_SLOWER = 10  # a test may be charged this many times what it is on the reference, but at least
_LEAST_SECONDS = 3.0


def baseline(grader: Grader, reference: Path, exercises: Sequence[str], nonce: str) -> Baseline:
    """Runs the hidden tests of some exercises on the reference as it is."""
    tests = _Tests(grader, reference)
    with tests.submitted(None) as run:
        checks = [run(test, nonce) for test in tests.of(exercises, "hidden")]
    problems = tuple(
        f"{check.test} {check.state}: {check.cause}\n{(check.detail or '')[-600:]}".strip()
        for check in checks
        if check.state != "passed"
    )
    return Baseline(
        {check.test: check.charged for check in checks},
        frozenset(check.exercise for check in checks),
        problems,
    )


def run(
    grader: Grader,
    reference: Path,
    trials: Sequence[Trial],
    base: Baseline,
    nonces: Sequence[str],
    killers: Killers,
) -> list[Verdict]:
    """Tries each mutant until a test fails on it: with the first nonce, else with the others.

    `base` is the reference's result with the first nonce; `killers` learns which tests fail.

    Raises:
        GraderFault: the tests could not be run at all; faults of single tests are verdicts.
    """
    verdicts: list[Verdict] = []
    trying = _Trials(_Tests(grader, reference), base, nonces, killers)
    for trial in trials:
        begun = time.monotonic()
        verdict = trying.verdict(trial)
        if verdict.status == "fault":
            verdict = trying.verdict(trial)
        verdicts.append(replace(verdict, seconds=round(time.monotonic() - begun, 3)))
    return verdicts


RunTest = Callable[[GradedTest, str], Check]  # by the nonce


class _Tests:
    """The tests, to run on one version of the reference after the other."""

    def __init__(self, grader: Grader, reference: Path) -> None:
        self._grader, self._reference = grader, reference
        grader.prepare()
        self._session = grader.session(("hidden", "public"))
        self._submissions = itertools.count()

    def of(self, exercises: Sequence[str], visibility: Visibility) -> list[GradedTest]:
        """The tests of some exercises that are public or hidden, in that order."""
        return [
            test
            for exercise in exercises
            for test in self._session.tests
            if test.exercise.id == exercise and test.visibility == visibility
        ]

    @contextmanager
    def submitted(self, mutant: Mutant | None) -> Iterator[RunTest]:
        """Submits the reference, with the mutant in it, and yields what runs a test on it."""
        zygote, package = self._grader.zygote, self._grader.manifest.package
        with tempfile.TemporaryDirectory(prefix="mutant-") as text:
            copy = copy_reference(Path(text), self._reference / package)
            if mutant is not None:
                (copy / f"{mutant.module}.py").write_text(mutant.text, encoding="utf-8")
            place = zygote.submissions / f"mutant-{next(self._submissions)}"
            stage(Path(text), place, package, self._grader.manifest.modules)
        # No spare: most mutants end at their first test, and every core has a grader.
        pool = WorkerPool(zygote, place, package, spare=False)

        def run(test: GradedTest, nonce: str) -> Check:
            return self._session.run(test, sandboxed(pool, nonce)).check

        try:
            yield run
        finally:
            pool.close()
            zygote.drain()
            shutil.rmtree(place)


@dataclass(frozen=True)
class _Failure:
    """A test that a mutant does not pass."""

    test: GradedTest
    nonce: str
    check: Check

    @property
    def is_fault(self) -> bool:
        return self.check.state == "not_run"


@dataclass(frozen=True)
class _Trials:
    """Tries one mutant after the other."""

    tests: _Tests
    base: Baseline
    nonces: Sequence[str]
    killers: Killers

    def verdict(self, trial: Trial) -> Verdict:
        """Runs hidden tests until one fails; the public ones too if none does with any nonce."""
        mutant, tests = trial.mutant, self.tests
        hidden = tests.of(trial.exercises, "hidden")
        noticed: list[bool] = []
        found: _Failure | None = None
        with tests.submitted(mutant) as run:
            for nonce in self.nonces:
                hidden.sort(key=lambda test: self.killers.rank(mutant, test.name))
                failure = self._first_failure(run, hidden, nonce)
                noticed.append(failure is not None)
                found = found or failure
                if failure is not None and (failure.is_fault or len(noticed) == 1):
                    found = failure
                    break
            if found is None:
                public = tests.of(trial.exercises, "public")
                found = self._first_failure(run, public, self.nonces[0])
        if found is None:
            return Verdict(mutant, "survived", noticed=tuple(noticed))
        name, is_public = found.check.test, found.test.visibility == "public"
        if found.is_fault:
            return Verdict(mutant, "fault", name, found.check.detail or "")
        in_baseline = not is_public and found.nonce == self.nonces[0]
        if not in_baseline and (problem := self._fails_on_reference(found)):
            return Verdict(mutant, "fault", name, problem)
        status: Status = "public"
        if not is_public:
            self.killers.add(mutant, name)
            status = "timed out" if found.check.cause is Cause.TIMEOUT else "killed"
        return Verdict(mutant, status, name, noticed=tuple(noticed))

    def _first_failure(self, run: RunTest, tests: list[GradedTest], nonce: str) -> _Failure | None:
        for test in tests:
            check = run(self._with_less_time(test), nonce)
            if check.cause is Cause.TIMEOUT:  # the machine may just have been busy
                check = run(test, nonce)
            if check.state != "passed":
                return _Failure(test, nonce, check)
        return None

    def _with_less_time(self, test: GradedTest) -> GradedTest:
        """The test with a limit of a few times what it takes on the reference."""
        seconds = max(_LEAST_SECONDS, _SLOWER * self.base.seconds.get(test.name, 0.0))
        shorter = msgspec.structs.replace(test.limits, seconds=min(test.limits.seconds, seconds))
        return replace(test, limits=shorter)

    def _fails_on_reference(self, failure: _Failure) -> str:
        """How a test fails on the reference itself, or "": the baseline had one nonce."""
        with self.tests.submitted(None) as run:
            check = run(failure.test, failure.nonce)
        return "" if check.state == "passed" else f"the reference fails it too: {check.detail}"
