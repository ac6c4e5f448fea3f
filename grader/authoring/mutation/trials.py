"""Tries mutants: hidden tests run on each in the sandbox, until the first one fails.

One pytest session tries many mutants, so that tests are collected once. What a grading does for a
whole submission is left out where it cannot matter: public tests, the survey, the tests after the
first that fails.
"""

from __future__ import annotations

import math
import shutil
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

import msgspec
import pytest

from assignment.hooks import exercise_of
from assignment.manifest import Limits
from grader.authoring.mutation.mutants import Mutant
from grader.authoring.mutation.verdicts import Baseline, Killers, Status, Trial, Verdict
from grader.judge.failure import GraderFault
from grader.judge.plugin import IMPLEMENTATION, Begun, JudgePlugin, name_of
from grader.judge.proxy import Workers
from grader.judge.session import Judge
from grader.judge.stage import stage
from grader.judge.time_budget import TimeBudget
from grader.results.causes import Cause
from grader.results.record import Check

_TIMES = 10  # a test may be charged so many times what the reference is, and at least
_SECONDS = 3.0
_STUCK = 60  # CPU seconds: a test that takes more in the judge itself is a fault


def baseline(judge: Judge, reference: Path, exercises: Sequence[str], nonce: str) -> Baseline:
    """Runs the hidden tests of some exercises on the reference as it is."""
    session = _Baseline(judge, reference, nonce, exercises)
    judge.prepare()
    judge.run_pytest(session, ("hidden",), nonce)
    problems = tuple(
        f"{check.test} {check.state}: {check.cause}\n{(check.detail or '')[-600:]}".strip()
        for check in session.checks
        if check.state != "passed" and check.cause is not Cause.PREREQUISITE
    )
    return Baseline(
        {check.test: check.charged for check in session.checks},
        frozenset(check.exercise for check in session.checks),
        problems,
    )


def run(
    judge: Judge,
    reference: Path,
    trials: Sequence[Trial],
    base: Baseline,
    nonces: Sequence[str],
    killers: Killers,
) -> list[Verdict]:
    """Tries each mutant until a test notices it: with the first nonce, else with the others.

    Args:
        judge: a started judge.
        reference: the folder that holds the package.
        trials: the mutants.
        base: how the reference fares with the first nonce.
        nonces: what inputs are drawn from; a mutant survives only if it does with all of them.
        killers: what is known of earlier mutants; grows.

    Raises:
        GraderFault: the tests could not be run at all; faults of single tests are verdicts.
    """
    judge.prepare()
    session = _Trials(judge, reference, trials, base, nonces, killers)
    judge.run_pytest(session, ("hidden",), nonces[0])
    return session.verdicts


class _Session(JudgePlugin):
    """Runs chosen tests on one version of the reference after the other."""

    def __init__(self, judge: Judge, reference: Path, nonce: str) -> None:
        self._zygote, self._package = judge.zygote, judge.manifest.package
        super().__init__(
            judge.manifest,
            lambda: Begun([self._workers(Path())]),
            exchange=judge.zygote.exchange,
            nonce=nonce,
            only=(),
            public=judge.repository / "tests" / "public",
            counted="hidden",
            budget=TimeBudget(math.inf),
            on_check=lambda _: None,
        )
        self._reference, self._modules = reference, judge.manifest.modules
        self._times = 0

    def _workers(self, folder: Path) -> Workers:
        """None is kept ready: the first test ends most mutants, and every core has its judge."""
        return Workers(self._zygote, folder, self._package, spare=False)

    @contextmanager
    def _submitted(self, mutant: Mutant | None) -> Iterator[None]:
        """Workers have the reference meanwhile, with the mutant in it."""
        self._times += 1
        with tempfile.TemporaryDirectory(prefix="mutant-") as text:
            folder = Path(text)
            shutil.copytree(
                self._reference / self._package,
                folder / self._package,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
            if mutant is not None:
                changed = folder / self._package / f"{mutant.module}.py"
                changed.write_text(mutant.text, encoding="utf-8")
            place = self._zygote.folder / "submissions" / f"mutant-{self._times}"
            staged = stage(folder, place, self._package, self._modules)
        self.workers = self._workers(staged.folder)
        try:
            yield
        finally:
            self.workers.close()
            self._zygote.settle()
            shutil.rmtree(staged.folder)

    def _run_test(self, item: pytest.Item, nonce: str) -> Check:
        """Runs one test, which may have run before."""
        self.nonce = item.config.option.nonce = nonce
        self.forget()
        if IMPLEMENTATION in item.stash:  # that of its last run
            del item.stash[IMPLEMENTATION]
        with _alarm():
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.outcomes[item.nodeid].check

    def _items(self, session: pytest.Session, exercises: Sequence[str]) -> list[pytest.Item]:
        """The tests of some exercises, in that order."""
        by_exercise: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            by_exercise[exercise_of(item) or ""].append(item)
        return [item for exercise in exercises for item in by_exercise[exercise]]


class _Baseline(_Session):
    """Runs every test of some exercises once."""

    def __init__(self, judge: Judge, reference: Path, nonce: str, exercises: Sequence[str]) -> None:
        super().__init__(judge, reference, nonce)
        self._exercises = exercises
        self.checks: list[Check] = []

    def run(self, session: pytest.Session) -> None:
        with self._submitted(None):
            for item in self._items(session, self._exercises):
                self.checks.append(self._run_test(item, self.nonce))


class _Trials(_Session):
    """Tries one mutant after the other."""

    def __init__(
        self,
        judge: Judge,
        reference: Path,
        trials: Sequence[Trial],
        base: Baseline,
        nonces: Sequence[str],
        killers: Killers,
    ) -> None:
        super().__init__(judge, reference, nonces[0])
        self._trials, self._base, self._nonces, self._killers = trials, base, nonces, killers
        self.verdicts: list[Verdict] = []
        self._patient = False

    def run(self, session: pytest.Session) -> None:
        for trial in self._trials:
            begun = time.monotonic()
            items = self._items(session, trial.exercises)
            verdict = self._try(trial.mutant, items)
            if verdict.status == "fault":
                verdict = self._try(trial.mutant, items)
            self.verdicts.append(replace(verdict, seconds=round(time.monotonic() - begun, 3)))

    def limits_of(self, item: pytest.Item) -> Limits:
        """The exercise's; at first with less time, a few times what the reference takes."""
        usual = super().limits_of(item)
        if self._patient:
            return usual
        seconds = max(_SECONDS, _TIMES * self._base.seconds.get(name_of(item), 0.0))
        return msgspec.structs.replace(usual, seconds=min(usual.seconds, seconds))

    def _try(self, mutant: Mutant, items: list[pytest.Item]) -> Verdict:
        killers: list[tuple[pytest.Item, str, Check]] = []
        noticed: list[bool] = []
        with self._submitted(mutant):
            for nonce in self._nonces:
                items = sorted(items, key=lambda item: self._killers.rank(mutant, name_of(item)))
                found = self._first_to_notice(items, nonce)
                if found is not None and found[1].state == "not_run":
                    return Verdict(mutant, "fault", found[1].test, found[1].detail or "")
                noticed.append(found is not None)
                if found is not None:
                    killers.append((found[0], nonce, found[1]))
                    if len(noticed) == 1:
                        break
        if not killers:
            return Verdict(mutant, "survived", noticed=tuple(noticed))
        item, nonce, check = killers[0]
        if nonce != self._nonces[0] and (problem := self._fails_on_reference(item, nonce)):
            return Verdict(mutant, "fault", check.test, problem)
        self._killers.add(mutant, check.test)
        status: Status = "timed out" if check.cause is Cause.TIMEOUT else "killed"
        return Verdict(mutant, status, check.test, noticed=tuple(noticed))

    def _first_to_notice(
        self, items: list[pytest.Item], nonce: str
    ) -> tuple[pytest.Item, Check] | None:
        for item in items:
            check = self._run_test(item, nonce)
            if check.cause is Cause.TIMEOUT:  # the machine may just have been busy
                self._patient = True
                check = self._run_test(item, nonce)
                self._patient = False
            if check.state != "passed" and check.cause is not Cause.PREREQUISITE:
                return item, check
        return None

    def _fails_on_reference(self, item: pytest.Item, nonce: str) -> str:
        """What a test says of the reference itself, "" if it passes: the baseline had one nonce."""
        with self._submitted(None):
            check = self._run_test(item, nonce)
        return "" if check.state == "passed" else f"the reference fails it too: {check.detail}"


@contextmanager
def _alarm() -> Iterator[None]:
    """Ends a test that is stuck in the judge, where no limit of the worker's reaches."""

    def stuck(_signal: int, _frame: FrameType | None) -> None:
        raise GraderFault(f"a test took more than {_STUCK} s of CPU in the judge")

    before = signal.signal(signal.SIGPROF, stuck)
    signal.setitimer(signal.ITIMER_PROF, _STUCK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
