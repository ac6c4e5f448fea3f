"""The judge as a pytest plugin: puts a worker behind `impl` and turns reports into outcomes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assignment.hooks import EXCHANGE, PROVIDER, exercise_of, seed_of, title_of
from assignment.implementation import Implementation
from assignment.manifest import Exercise, Limits, Manifest
from grader import signals
from grader.judge.failure import (
    GraderFault,
    Killed,
    SubmissionFailure,
    for_student,
    nearest_builtin,
    told,
)
from grader.judge.lanes import Queue, SecondLane, cores
from grader.judge.proxy import GradedImplementation, Workers
from grader.judge.score import NOT_MEASURED, Outcome
from grader.judge.time_budget import TimeBudget
from grader.judge.timing.contest import NotMeasured
from grader.judge.timing.race import Suspicious
from grader.judge.timing.track import Track
from grader.results.causes import Cause
from grader.results.record import Check, Fit, Timing, Visibility

_DETAIL = 20_000
# Causes of a test that is not tried whose fixed words tell a student everything.
_SAYS_ALL = (Cause.NOT_STARTED, Cause.NEEDS_CUDA, Cause.GRADER_FAULT)
IMPLEMENTATION: pytest.StashKey[GradedImplementation] = pytest.StashKey()
# What a test on the device found, once it came to its end; a timer's truth is nothing to keep.
_FOUND: pytest.StashKey[Timing | Fit | None] = pytest.StashKey()
ON_TRACK = {"race", "fits", "truth"}  # fixtures of tests that run alone, on the device
_KILLED: pytest.StashKey[bool] = pytest.StashKey()  # whether a test's worker was, once


@dataclass(frozen=True)
class Begun:
    """Where workers come from, for one lane or two; what the import check found; and where races
    are run, if there are any.

    `broken` has the modules that could not be imported, and why; `not_started` the functions that
    are still the handout's stubs, as `module.name`.
    """

    lanes: Sequence[Workers]
    broken: Mapping[str, Cause] = field(default_factory=dict)
    track: Track | None = None
    not_started: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Ran:
    """What the second lane sends back, by node id: its outcomes, and the tests it put off."""

    outcomes: dict[str, Outcome]
    put_off: list[str]


class JudgePlugin:
    """Runs each test against a fresh worker and keeps its outcome in `outcomes`, by node id.

    Args:
        manifest: the assignment.
        begin: called once the tests are collected, before the first; with two lanes a copy of this
            process takes the second. What it raises ends the session, and stands in `error`.
        exchange: the folder where tests leave what workers may read.
        nonce: what the seeds of inputs and workers are drawn from.
        only: exercises to run; every one if empty.
        public: the folder of public tests; all others are hidden.
        counted: which tests carry points.
        budget: what tests that hit their limit draw on.
        on_check: called with each check as it comes.
    """

    def __init__(
        self,
        manifest: Manifest,
        begin: Callable[[], Begun],
        *,
        exchange: Path,
        nonce: str,
        only: Collection[str],
        public: Path,
        counted: Visibility,
        budget: TimeBudget,
        on_check: Callable[[Check], None],
    ) -> None:
        self.manifest, self.nonce, self.only = manifest, nonce, only
        self.public, self.counted, self.on_check = public, counted, on_check
        self.budget = budget
        self._begin, self._exchange = begin, exchange
        self.lanes: Sequence[Workers] = ()
        self.track: Track | None = None
        self.broken: Mapping[str, Cause] = {}
        self.not_started: frozenset[str] = frozenset()
        self.error: BaseException | None = None
        self.outcomes: dict[str, Outcome] = {}
        self._checks: dict[str, dict[str, Check]] = {}  # the same, by exercise and node id
        self.collection_errors: list[str] = []
        self._first_lane: int | None = None  # its process id, in the second
        self._put_off: dict[str, str] = {}  # exercises of tests that run later, by node id

    # --- before the tests ----------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[PROVIDER] = self.provide
        config.stash[EXCHANGE] = self._exchange

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if not isinstance(excinfo.value, pytest.Session.Interrupted):  # pytest's own, not a signal
            self.error = excinfo.value

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.collection_errors.append(f"{report.nodeid}: {report.longreprtext[-2000:]}")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """In the manifest's order: prerequisites first, public before hidden."""
        order = {exercise.id: i for i, exercise in enumerate(self.manifest)}
        unknown = [item for item in items if exercise_of(item) not in order]
        self.collection_errors += [f"{item.nodeid} names no exercise" for item in unknown]
        if self.only:
            items[:] = [i for i in items if exercise_of(i) in self.only]
        items.sort(
            key=lambda item: (
                order.get(exercise_of(item) or "", -1),
                self.visibility(item) == "hidden",
            )
        )

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:  # a file of tests could not be read
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        self.budget.plan(self._limits(session.items), cores())
        try:
            begun = self._begin()
        except Exception as error:
            self.error = error
            return True
        self.lanes, self.broken, self.track = begun.lanes, begun.broken, begun.track
        self.not_started = begun.not_started
        self.workers = self.lanes[0]
        self.run(session)
        return True

    def _limits(self, items: Sequence[pytest.Item]) -> Iterator[tuple[str, str, float]]:
        """What the budget plans with: each test, and each module's import."""
        for item in items:
            if item not in self._races([item]):
                group = f"{self.exercise(item).id} {self.visibility(item)}"
                yield group, name_of(item), self.limits_of(item).seconds
        for module in self.manifest.modules:
            yield f"import {module}", "", self.manifest.limits.seconds

    @staticmethod
    def _races(items: Sequence[pytest.Item]) -> list[pytest.Item]:
        return [item for item in items if ON_TRACK & set(getattr(item, "fixturenames", ()))]

    def run(self, session: pytest.Session) -> None:
        """Runs the tests some exercises at a time, in one lane or two; all outcomes end up here.

        Races come last, one at a time, with nothing beside them.
        """
        by_id = {item.nodeid: item for item in session.items}
        races = self._races(session.items)
        for visibility in ("public", "hidden"):
            items = [
                i for i in session.items if self.visibility(i) == visibility and i not in races
            ]
            self._run_in_lanes(session, self._groups(items))
            # In the manifest's order and in one lane, so that no turn of the lanes decides which
            # test draws the last of the budget.
            put_off, self._put_off = self._put_off, {}
            for item in (item for name, item in by_id.items() if name in put_off):
                self._run_one(item)
        if races:
            for lane in self.lanes:
                lane.close()
        for item in races:
            self._run_one(item)
        self.outcomes = {name: self.outcomes[name] for name in by_id if name in self.outcomes}

    def _run_in_lanes(self, session: pytest.Session, groups: list[list[pytest.Item]]) -> None:
        """Runs tests that are all public or all hidden.

        Never both at a time: what a student's code prints in a public test is shown, and it could
        watch the machine's load while a hidden test runs beside it.
        """
        queue = Queue(len(groups))
        second = None
        if len(self.lanes) > 1 and len(groups) > 1:
            second = SecondLane(lambda: self._run_second(session, groups, queue))
        self._run(groups, queue)
        queue.close()
        if second is not None:
            theirs = second.result(_Ran)
            for name, outcome in theirs.outcomes.items():
                self._keep(name, outcome)
            by_id = {item.nodeid: item for item in session.items}
            self._put_off.update({n: self.exercise(by_id[n]).id for n in theirs.put_off})

    def _run(self, groups: list[list[pytest.Item]], queue: Queue) -> None:
        while (group := queue.take()) is not None:
            for item in groups[group]:
                if self._first_lane not in (None, os.getppid()):
                    os._exit(1)  # the first lane is gone, and the grading with it
                if self._can_wait(item):
                    self._put_off[item.nodeid] = self.exercise(item).id
                else:
                    self._run_one(item)

    def _can_wait(self, item: pytest.Item) -> bool:
        """Whether a test is put off until every other exercise had its turn.

        That is so once a test of its exercise hit a limit: the rest may do the same. What builds
        on an exercise without a pass waits with it.
        """
        exercise = self.exercise(item)
        return self._timed_out(exercise, self.visibility(item)) or any(
            needed in self._put_off.values() and not self._passes(needed)
            for needed in exercise.depends_on
        )

    def _run_one(self, item: pytest.Item) -> None:
        """One test; once more if its worker was killed from outside, as far as one can tell."""
        signals.check()
        if (refusal := self._refusal(item)) is not None:
            cause, detail = refusal
            tells = self.visibility(item) == "public" and cause not in _SAYS_ALL
            self._record(item, cause, detail, shown=detail if tells else None)
            return
        item.stash[_KILLED] = False
        # No next item: which one will run, its outcome may decide.
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        if item.stash[_KILLED]:
            item._request = False  # type: ignore[attr-defined]  # pytest then makes fixtures anew
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _run_second(
        self, session: pytest.Session, groups: list[list[pytest.Item]], queue: Queue
    ) -> _Ran:
        """The other lane, in a process of its own."""
        self._first_lane = os.getppid()
        self.lanes[0].zygote.let_go()  # or it would outlive the first lane's end
        self.workers, self.on_check = self.lanes[1], lambda _: None
        self.budget.lane = 1
        session.config.stash[EXCHANGE] = self.workers.zygote.exchange
        earlier = set(self.outcomes)
        self._run(groups, queue)
        self.workers.close()
        self.workers.zygote.settle()
        own = {name: o for name, o in self.outcomes.items() if name not in earlier}
        return _Ran(own, list(self._put_off))

    def _groups(self, items: list[pytest.Item]) -> list[list[pytest.Item]]:
        """The tests by exercise, the most first; what depends on another exercise joins it."""
        group = {exercise.id: exercise.id for exercise in self.manifest}
        for exercise in self.manifest:
            for needed in exercise.depends_on:
                joined = group[exercise.id]
                group.update({e: group[needed] for e, g in group.items() if g == joined})
        groups: dict[str, list[pytest.Item]] = {}
        for item in items:
            groups.setdefault(group[self.exercise(item).id], []).append(item)
        return sorted(groups.values(), key=len, reverse=True)

    # --- each test -----------------------------------------------------------------------------

    @contextmanager
    def provide(self, request: pytest.FixtureRequest) -> Iterator[Implementation]:
        """The `impl` of one test."""
        item = request.node
        limits = self.limits_of(item)
        seconds = self.budget.limit(name_of(item), limits.seconds)
        implementation = GradedImplementation(
            self.workers,
            msgspec.structs.replace(limits, seconds=seconds),
            seed_of(self.nonce, "worker", item.nodeid),
        )
        item.stash[IMPLEMENTATION] = implementation
        try:
            yield implementation
        finally:
            implementation.close()
            self.budget.charge(implementation.charged)

    @pytest.fixture
    def race(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`race("program")` holds the submission against the reference, by this process's clock."""
        item, exercise, track, rng = self._on_track(request)

        def run(program: str) -> None:
            timing = track.race(program, exercise, self.limits_of(item), rng)
            item.stash[_FOUND] = timing
            if timing.mark < 1:
                raise SubmissionFailure(
                    Cause.TOO_SLOW, f"{timing.ratio:.3f} times the reference's time"
                )

        return run

    @pytest.fixture
    def fits(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`fits("program")` runs the submission in the program's budgets of memory."""
        item, exercise, track, rng = self._on_track(request)

        def run(program: str) -> None:
            fit = track.fit(program, exercise, self.limits_of(item), rng)
            item.stash[_FOUND] = fit
            if fit.mark < 1:
                raise SubmissionFailure(
                    Cause.MEMORY, f"{sum(fit.fitted)} of {len(fit.fitted)} budgets were enough"
                )

        return run

    @pytest.fixture
    def truth(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`truth("program")` holds what a timer reports against the judge's clock."""
        item, exercise, track, rng = self._on_track(request)

        def run(program: str) -> None:
            track.truth(program, exercise, self.limits_of(item), rng)
            item.stash[_FOUND] = None

        return run

    def _on_track(
        self, request: pytest.FixtureRequest
    ) -> tuple[pytest.Item, Exercise, Track, np.random.Generator]:
        """What a test on the device starts from."""
        item = request.node
        exercise = self.exercise(item)
        assert self.track is not None, "a session that collects races has a track"
        rng = np.random.default_rng(seed_of(self.nonce, "race", item.nodeid))
        return item, exercise, self.track, rng

    def limits_of(self, item: pytest.Item) -> Limits:
        """What a test may use."""
        return self.manifest.limits_of(self.exercise(item))

    def _refusal(self, item: pytest.Item) -> tuple[Cause, str] | None:
        """Why a test is not tried, if it is not: no worker could change its outcome."""
        exercise, visibility = self.exercise(item), self.visibility(item)
        if exercise.needs and (self.track is None or self.track.device_of(exercise) is None):
            return Cause.NEEDS_CUDA, f"{exercise.id} needs a CUDA device"
        for module in exercise.modules:
            if (cause := self.broken.get(module)) is not None:
                return cause, f"{module}.py could not be imported"
        for needed in exercise.depends_on:
            if self._checks_of(needed) and not self._passes(needed):
                return Cause.PREREQUISITE, f"{needed} passes no test yet"
        if self.not_started.issuperset(exercise.functions):
            return Cause.NOT_STARTED, f"{', '.join(exercise.functions)}: still the handout's stub"
        try:
            self.budget.check_end()
        except SubmissionFailure as failure:
            return failure.cause, f"not tried: {failure.detail}"
        except GraderFault as fault:
            return Cause.GRADER_FAULT, str(fault)
        if self._timed_out(exercise, visibility):
            if visibility != self.counted:
                return Cause.TIMEOUT, "not tried: an earlier test of this exercise hit its limit"
            if self.budget.is_spent:
                return Cause.TIMEOUT, (
                    "not tried: an earlier test of this exercise hit its limit, and such tests "
                    f"have spent the {self.budget.seconds:g} s of this grading"
                )
        return None

    def _passes(self, exercise: str) -> bool:
        """Whether a test of this exercise has passed."""
        return any(check.state == "passed" for check in self._checks_of(exercise))

    def _timed_out(self, exercise: Exercise, visibility: Visibility) -> bool:
        """Whether one of an exercise's tests of this visibility hit its limit."""
        return any(
            check.cause is Cause.TIMEOUT and check.visibility == visibility
            for check in self._checks_of(exercise.id)
        )

    def _checks_of(self, exercise: str) -> Collection[Check]:
        return self._checks.get(exercise, {}).values()

    def _keep(self, node: str, outcome: Outcome) -> None:
        self.outcomes[node] = outcome
        self._checks.setdefault(outcome.check.exercise, {})[node] = outcome.check
        self.on_check(outcome.check)

    def forget(self) -> None:
        """Drops every outcome: for who runs the same tests on one submission after the other."""
        self.outcomes.clear()
        self._checks.clear()

    # --- its outcome ---------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        report = yield
        if call.when == "call" or call.excinfo is not None:
            self._add(item, call)
        return report

    def _add(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        killed = call.excinfo is not None and isinstance(call.excinfo.value, Killed)
        if killed and not item.stash.get(_KILLED, True):
            item.stash[_KILLED] = True
            return
        implementation = item.stash.get(IMPLEMENTATION, None)
        answers = implementation.answers if implementation else int(_FOUND in item.stash)
        error = call.excinfo.value if call.excinfo else None
        cause = None if error is None else cause_of(error, answers)
        if cause is None and not answers:
            cause, error = Cause.GRADER_FAULT, GraderFault("the test never called the submission")
        public = self.visibility(item) == "public"
        detail = shown = None
        if error is not None:
            printed = implementation.output if implementation else ""
            detail = _with_output(told(error, item.path), printed, 4000)[-_DETAIL:]
            if public and cause is not Cause.NEEDS_CUDA:
                shown = _with_output(for_student(error), printed, 1000)
        exception = nearest_builtin(type(error).__name__) if cause is Cause.EXCEPTION else None
        if cause is Cause.TIMEOUT:
            self.budget.draw(self.limits_of(item).seconds)
        self._record(
            item,
            cause,
            detail,
            shown=shown,
            exception=exception.__name__ if exception else None,
            seconds=call.duration,
            charged=implementation.charged if implementation else 0.0,
            found=item.stash.get(_FOUND, None),
        )

    def _record(
        self,
        item: pytest.Item,
        cause: Cause | None,
        detail: str | None,
        *,
        shown: str | None = None,
        exception: str | None = None,
        seconds: float = 0.0,
        charged: float = 0.0,
        found: Timing | Fit | None = None,
    ) -> None:
        """Keeps a test's outcome. A teardown error replaces an earlier pass."""
        not_run = cause is Cause.PREREQUISITE or cause in NOT_MEASURED
        check = Check(
            exercise=self.exercise(item).id,
            test=name_of(item),
            title=title_of(item),
            state="passed" if cause is None else "not_run" if not_run else "failed",
            points=0.0,
            max_points=0.0,
            cause=cause,
            exception=exception,
            detail=detail,
            shown=shown,
            seconds=round(seconds, 4),
            charged=round(charged, 4),
            visibility=self.visibility(item),
            timing=found if isinstance(found, Timing) else None,
            fit=found if isinstance(found, Fit) else None,
        )
        marker = item.get_closest_marker("exercise")
        weight = float(marker.kwargs.get("weight", 1)) if marker else 1.0
        function = f"{item.path}::{getattr(item, 'originalname', item.name)}"
        self._keep(item.nodeid, Outcome(check, weight, function))

    def exercise(self, item: pytest.Item) -> Exercise:
        """The exercise of a test; raises GraderFault if it names none."""
        name = exercise_of(item)
        if name is None:
            raise GraderFault(f"{item.nodeid} names no exercise")
        return self.manifest[name]

    def visibility(self, item: pytest.Item) -> Visibility:
        """Public is what lies in the folder of public tests."""
        return "public" if item.path.is_relative_to(self.public) else "hidden"


def name_of(item: pytest.Item) -> str:
    """What a grade calls a test."""
    return f"{item.path.stem}::{item.name}"


def _with_output(text: str, printed: str, limit: int) -> str:
    """A failure's text, and the end of what the submission printed."""
    return "\n\n".join(filter(None, (text, printed and f"printed:\n{printed[-limit:]}")))


def cause_of(error: BaseException, answers: int) -> Cause:
    """The class of a test's failure.

    An exception of the test's own code after the submission answered comes from an answer that
    the test could not use; before any answer it is a fault of ours.
    """
    if isinstance(error, SubmissionFailure):
        return error.cause
    if isinstance(error, NotMeasured):
        return Cause.NOT_MEASURED
    if isinstance(error, Suspicious):
        return Cause.SUSPICIOUS
    if getattr(error, "from_submission", False):
        return Cause.EXCEPTION
    if isinstance(error, GraderFault | KeyboardInterrupt) or not answers:
        return Cause.GRADER_FAULT
    return Cause.WRONG_ANSWER
