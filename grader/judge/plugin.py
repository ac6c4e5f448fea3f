"""The judge as a pytest plugin: puts a worker behind `impl` and turns reports into outcomes."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from assignment.hooks import EXCHANGE, PROVIDER, exercise_of, seed_of, title_of
from assignment.implementation import Implementation
from assignment.manifest import Exercise, Limits, Manifest
from grader.judge.failure import (
    GraderFault,
    Killed,
    SubmissionFailure,
    for_student,
    nearest_builtin,
    told,
)
from grader.judge.lanes import Queue, SecondLane
from grader.judge.proxy import GradedImplementation, Workers
from grader.judge.score import NOT_MEASURED, Outcome
from grader.judge.timing.contest import NotMeasured
from grader.judge.timing.race import Suspicious
from grader.judge.timing.track import Track
from grader.results.causes import Cause
from grader.results.record import Check, Fit, Timing, Visibility

_EXERCISE = 2  # an exercise's tests together may take so many times what one may
_DETAIL = 20_000
IMPLEMENTATION: pytest.StashKey[GradedImplementation] = pytest.StashKey()
# What a test on the device found, once it came to its end; a timer's truth is nothing to keep.
_FOUND: pytest.StashKey[Timing | Fit | None] = pytest.StashKey()
ON_TRACK = {"race", "fits", "truth"}  # fixtures of tests that run alone, on the device
_KILLED: pytest.StashKey[bool] = pytest.StashKey()  # whether a test's worker was, once


class _NotRun(Exception):
    """A test that is not tried; `cause` says why."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause


@dataclass(frozen=True)
class Begun:
    """Where workers come from, for one lane or two; modules that could not be imported, and why;
    and where races are run, if there are any."""

    lanes: Sequence[Workers]
    broken: dict[str, Cause]
    track: Track | None = None


@dataclass(frozen=True)
class _Ran:
    """What the second lane sends back: its outcomes, and the seconds of its exercises."""

    outcomes: list[Outcome]
    spent: dict[str, float]


class JudgePlugin:
    """Runs each test against a fresh worker and keeps its outcome in `outcomes`.

    Args:
        manifest: the assignment.
        begin: called once the tests are collected, before the first; with two lanes a copy of this
            process takes the second. What it raises ends the session, and stands in `error`.
        exchange: the folder where tests leave what workers may read.
        nonce: what the seeds of inputs and workers are drawn from.
        only: exercises to run; every one if empty.
        public: the folder of public tests; all others are hidden.
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
        on_check: Callable[[Check], None],
    ) -> None:
        self.manifest, self.nonce, self.only = manifest, nonce, only
        self.public, self.on_check = public, on_check
        self._begin, self._exchange = begin, exchange
        self.lanes: Sequence[Workers] = ()
        self.track: Track | None = None
        self.broken: dict[str, Cause] = {}
        self.error: Exception | None = None
        self.outcomes: list[Outcome] = []
        self.collection_errors: list[str] = []
        self._first_lane: int | None = None  # its process id, in the second
        self._spent: dict[str, float] = defaultdict(float)  # seconds, by exercise

    # --- before the tests ----------------------------------------------------------------------

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[PROVIDER] = self.provide
        config.stash[EXCHANGE] = self._exchange

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
        try:
            begun = self._begin()
        except Exception as error:
            self.error = error
            return True
        self.lanes, self.broken, self.track = begun.lanes, begun.broken, begun.track
        self.workers = self.lanes[0]
        self.run(session)
        return True

    def run(self, session: pytest.Session) -> None:
        """Runs the tests some exercises at a time, in one lane or two; all outcomes end up here.

        Races come last, one at a time, with nothing beside them.
        """
        races = [i for i in session.items if ON_TRACK & set(getattr(i, "fixturenames", ()))]
        for visibility in ("public", "hidden"):
            items = [
                i for i in session.items if self.visibility(i) == visibility and i not in races
            ]
            self._run_in_lanes(session, self._groups(items))
        if races:
            for lane in self.lanes:
                lane.close()
        for item in races:
            self._run_one(item, None)
        order = {exercise.id: i for i, exercise in enumerate(self.manifest)}
        self.outcomes.sort(key=lambda outcome: order[outcome.check.exercise])

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
            self._spent.update(theirs.spent)
            for outcome in theirs.outcomes:
                self.outcomes.append(outcome)
                self.on_check(outcome.check)

    def _run(self, groups: list[list[pytest.Item]], queue: Queue) -> None:
        while (group := queue.take()) is not None:
            items = groups[group]
            for item, after in zip(items, [*items[1:], None], strict=True):
                if self._first_lane not in (None, os.getppid()):
                    os._exit(1)  # the first lane is gone, and the grading with it
                self._run_one(item, after)

    def _run_one(self, item: pytest.Item, after: pytest.Item | None) -> None:
        """One test; once more if its worker was killed from outside, as far as one can tell."""
        item.stash[_KILLED] = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if item.stash[_KILLED]:
            item._request = False  # type: ignore[attr-defined]  # pytest then makes fixtures anew
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)

    def _run_second(
        self, session: pytest.Session, groups: list[list[pytest.Item]], queue: Queue
    ) -> _Ran:
        """The other lane, in a process of its own."""
        self._first_lane = os.getppid()
        earlier = len(self.outcomes)
        self.lanes[0].zygote.let_go()  # or it would outlive the first lane's end
        self.workers, self.on_check = self.lanes[1], lambda _: None
        session.config.stash[EXCHANGE] = self.workers.zygote.exchange
        self._run(groups, queue)
        self.workers.close()
        self.workers.zygote.settle()
        outcomes = self.outcomes[earlier:]
        exercises = {outcome.check.exercise for outcome in outcomes}
        return _Ran(outcomes, {e: s for e, s in self._spent.items() if e in exercises})

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
        exercise = self.exercise(item)
        self._refuse_to_run(exercise)
        implementation = GradedImplementation(
            self.workers,
            self.limits_of(item),
            seed_of(self.nonce, "worker", item.nodeid),
        )
        item.stash[IMPLEMENTATION] = implementation
        try:
            yield implementation
        finally:
            self._spent[exercise.id] += implementation.seconds
            implementation.close()

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
        self._refuse_to_run(exercise)
        assert self.track is not None, "a session that collects races has a track"
        rng = np.random.default_rng(seed_of(self.nonce, "race", item.nodeid))
        return item, exercise, self.track, rng

    def limits_of(self, item: pytest.Item) -> Limits:
        """What a test may use."""
        return self.manifest.limits_of(self.exercise(item))

    def _refuse_to_run(self, exercise: Exercise) -> None:
        if exercise.needs and (self.track is None or self.track.device_of(exercise) is None):
            raise _NotRun(Cause.NEEDS_CUDA, f"{exercise.id} needs a CUDA device")
        for module in exercise.modules:
            if (cause := self.broken.get(module)) is not None:
                raise SubmissionFailure(cause, f"{module}.py could not be imported")
        for needed in exercise.depends_on:
            states = [o.check.state for o in self.outcomes if o.check.exercise == needed]
            if states and "passed" not in states:
                raise _NotRun(Cause.PREREQUISITE, f"{needed} passes no test yet")
        allowed = _EXERCISE * self.manifest.limits_of(exercise).seconds
        if self._spent[exercise.id] >= allowed:
            raise SubmissionFailure(
                Cause.TIMEOUT, f"not tried: this exercise's tests took {allowed:g} s before"
            )

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
        found = item.stash.get(_FOUND, None)
        answers = implementation.answers if implementation else int(_FOUND in item.stash)
        error = call.excinfo.value if call.excinfo else None
        cause = None if error is None else cause_of(error, answers)
        if cause is None and not answers:
            cause, error = Cause.GRADER_FAULT, GraderFault("the test never called the submission")
        not_run = cause is Cause.PREREQUISITE or cause in NOT_MEASURED
        visibility = self.visibility(item)
        marker = item.get_closest_marker("exercise")
        detail = shown = None
        if error is not None:
            printed = implementation.output if implementation else ""
            detail = _with_output(told(error, item.path), printed, 4000)[-_DETAIL:]
            if visibility == "public" and cause is not Cause.NEEDS_CUDA:
                shown = _with_output(for_student(error), printed, 1000)
        check = Check(
            exercise=self.exercise(item).id,
            test=f"{item.path.stem}::{item.name}",
            title=title_of(item),
            state="passed" if cause is None else "not_run" if not_run else "failed",
            points=0.0,
            max_points=0.0,
            cause=cause,
            exception=nearest_builtin(type(error).__name__).__name__
            if cause is Cause.EXCEPTION
            else None,
            detail=detail,
            shown=shown,
            seconds=round(call.duration, 4),
            visibility=visibility,
            timing=found if isinstance(found, Timing) else None,
            fit=found if isinstance(found, Fit) else None,
        )
        weight = float(marker.kwargs.get("weight", 1)) if marker else 1.0
        function = f"{item.path}::{getattr(item, 'originalname', item.name)}"
        self._replace_or_append(Outcome(check, weight, function))
        self.on_check(check)

    def _replace_or_append(self, outcome: Outcome) -> None:
        """A fault while a passed test is taken down outweighs its pass."""
        for i, earlier in enumerate(self.outcomes):
            if (earlier.check.test, earlier.function) == (outcome.check.test, outcome.function):
                self.outcomes[i] = outcome
                return
        self.outcomes.append(outcome)

    def exercise(self, item: pytest.Item) -> Exercise:
        """The exercise of a test; raises GraderFault if it names none."""
        name = exercise_of(item)
        if name is None:
            raise GraderFault(f"{item.nodeid} names no exercise")
        return self.manifest[name]

    def visibility(self, item: pytest.Item) -> Visibility:
        """Public is what lies in the folder of public tests."""
        return "public" if item.path.is_relative_to(self.public) else "hidden"


def _with_output(text: str, printed: str, limit: int) -> str:
    """A failure's text, and the end of what the submission printed."""
    return "\n\n".join(filter(None, (text, printed and f"printed:\n{printed[-limit:]}")))


def cause_of(error: BaseException, answers: int) -> Cause:
    """The class of a test's failure.

    An exception of the test's own code after the submission answered comes from an answer that
    the test could not use; before any answer it is a fault of ours.
    """
    if isinstance(error, SubmissionFailure | _NotRun):
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
