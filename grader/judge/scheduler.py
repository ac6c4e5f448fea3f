"""Decides which tests of one grading run, in which order, and in which lane."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from assignment.manifest import Exercise, Manifest
from grader import signals
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.lanes import ForkedLane, Queue
from grader.judge.outcome import GradedTest, new_outcome
from grader.judge.plugin import TestContext
from grader.judge.pool import WorkerPool
from grader.judge.preflight import Preflight
from grader.judge.score import Outcome
from grader.judge.time_budget import TimeBudget
from grader.results.causes import Cause
from grader.results.record import Check, Visibility

# Causes whose fixed words tell a student everything about a test that did not run.
_SELF_EXPLAINING = (Cause.NOT_STARTED, Cause.NEEDS_CUDA, Cause.GRADER_FAULT)


@dataclass(frozen=True)
class Lane:
    """One process's share of a grading: where its workers come from, and what its tests get."""

    index: int
    pool: WorkerPool
    context: TestContext


@dataclass(frozen=True)
class LaneResult:
    """What a forked lane sends back, by test id: its outcomes, and the tests that it put off."""

    outcomes: dict[str, Outcome]
    put_off: list[str]


class Outcomes:
    """The outcomes of one grading until now.

    Args:
        on_check: called with each check as it comes.
    """

    def __init__(self, on_check: Callable[[Check], None]) -> None:
        self.on_check = on_check
        self.by_id: dict[str, Outcome] = {}
        self._checks: dict[str, dict[str, Check]] = {}  # by exercise and test id

    def add(self, test_id: str, outcome: Outcome) -> None:
        self.by_id[test_id] = outcome
        self._checks.setdefault(outcome.check.exercise, {})[test_id] = outcome.check
        self.on_check(outcome.check)

    def has_any(self, exercise: str) -> bool:
        """Whether any test of the exercise has an outcome."""
        return bool(self._checks.get(exercise))

    def passes(self, exercise: str) -> bool:
        """Whether any test of the exercise has passed."""
        return any(check.state == "passed" for check in self._of(exercise))

    def timed_out(self, exercise: str, visibility: Visibility) -> bool:
        """Whether any test of the exercise, of this visibility, hit its time limit."""
        return any(
            check.cause is Cause.TIMEOUT and check.visibility == visibility
            for check in self._of(exercise)
        )

    def _of(self, exercise: str) -> Collection[Check]:
        return self._checks.get(exercise, {}).values()


class Scheduler:
    """Runs the tests of one submission.

    Args:
        manifest: the assignment.
        lanes: where tests run; the first is this process, every other one is forked for a while.
        preflight: what importing the submission showed.
        budget: what tests that hit their time limit draw on.
        counted: which tests carry points.
        can_measure: whether an exercise that needs a device can be measured here.
        run: runs one test in a context.
        on_check: called with each check as it comes.
    """

    def __init__(
        self,
        manifest: Manifest,
        lanes: Sequence[Lane],
        *,
        preflight: Preflight,
        budget: TimeBudget,
        counted: Visibility,
        can_measure: Callable[[Exercise], bool],
        run: Callable[[GradedTest, TestContext], Outcome],
        on_check: Callable[[Check], None],
    ) -> None:
        self._manifest, self._lanes, self._preflight = manifest, lanes, preflight
        self._budget, self._counted, self._can_measure = budget, counted, can_measure
        self._run_test = run
        self._outcomes = Outcomes(on_check)
        self._put_off: dict[str, str] = {}  # exercises by the id of a test that runs later

    def run(self, tests: Sequence[GradedTest]) -> list[Outcome]:
        """Runs all tests; returns an outcome for each, in the same order.

        Tests on the device come last, one at a time, with nothing beside them.
        """
        by_id = {test.id: test for test in tests}
        first = self._lanes[0]
        for visibility in ("public", "hidden"):
            mine = [t for t in tests if t.visibility == visibility and not t.on_device]
            self._run_in_lanes(self._groups(mine), by_id)
            # In one lane and in the manifest's order: which test draws the last of the budget must
            # not depend on how the lanes took turns.
            put_off, self._put_off = self._put_off, {}
            for test in (by_id[test_id] for test_id in by_id if test_id in put_off):
                self._run_one(test, first)
        on_device = [test for test in tests if test.on_device]
        if on_device:
            for lane in self._lanes:
                lane.pool.close()
        for test in on_device:
            self._run_one(test, first)
        found = self._outcomes.by_id
        return [found[test_id] for test_id in by_id if test_id in found]

    # --- lanes ---------------------------------------------------------------------------------

    def _groups(self, tests: Sequence[GradedTest]) -> list[list[GradedTest]]:
        """Tests by exercise, the largest group first. Dependent exercises share a group."""
        group = {exercise.id: exercise.id for exercise in self._manifest}
        for exercise in self._manifest:
            for needed in exercise.depends_on:
                joined = group[exercise.id]
                group.update({e: group[needed] for e, g in group.items() if g == joined})
        groups: dict[str, list[GradedTest]] = {}
        for test in tests:
            groups.setdefault(group[test.exercise.id], []).append(test)
        return sorted(groups.values(), key=len, reverse=True)

    def _run_in_lanes(
        self, groups: list[list[GradedTest]], by_id: Mapping[str, GradedTest]
    ) -> None:
        """Runs groups of tests that are all public or all hidden.

        Public and hidden tests never run beside each other: what a student's code prints in a
        public test is shown, and it could watch the machine's load during a hidden test.
        """
        queue = Queue(len(groups))
        forks = [
            ForkedLane(partial(self._run_forked, lane, groups, queue))
            for lane in self._lanes[1 : len(groups)]
        ]
        self._run_groups(self._lanes[0], groups, queue)
        queue.close()
        for fork in forks:
            theirs = fork.result(LaneResult)
            for test_id, outcome in theirs.outcomes.items():
                self._outcomes.add(test_id, outcome)
            self._put_off.update({i: by_id[i].exercise.id for i in theirs.put_off})

    def _run_forked(self, lane: Lane, groups: list[list[GradedTest]], queue: Queue) -> LaneResult:
        """Runs in a fork of this process: this object is a copy from here on."""
        parent = os.getppid()
        for other in self._lanes:
            if other is not lane:  # or its zygote would outlive the end of its own process
                other.pool.zygote.disconnect()
        self._outcomes.on_check = lambda _: None
        self._budget.lane = lane.index
        earlier = set(self._outcomes.by_id)
        self._run_groups(lane, groups, queue, parent)
        lane.pool.close()
        lane.pool.zygote.drain()
        own = {i: found for i, found in self._outcomes.by_id.items() if i not in earlier}
        return LaneResult(own, list(self._put_off))

    def _run_groups(
        self, lane: Lane, groups: list[list[GradedTest]], queue: Queue, parent: int | None = None
    ) -> None:
        while (group := queue.take()) is not None:
            for test in groups[group]:
                if parent not in (None, os.getppid()):
                    os._exit(1)  # the first lane is gone, and the grading with it
                if self._can_wait(test):
                    self._put_off[test.id] = test.exercise.id
                else:
                    self._run_one(test, lane)

    # --- each test -----------------------------------------------------------------------------

    def _can_wait(self, test: GradedTest) -> bool:
        """Whether a test is put off until every other exercise had its turn.

        It is once another test of its exercise hit a time limit, since it may do the same. Tests
        that depend on such an exercise, without a pass yet, wait too.
        """
        return self._outcomes.timed_out(test.exercise.id, test.visibility) or any(
            needed in self._put_off.values() and not self._outcomes.passes(needed)
            for needed in test.exercise.depends_on
        )

    def _run_one(self, test: GradedTest, lane: Lane) -> None:
        signals.raise_if_stopped()
        if (refusal := self._why_not(test)) is not None:
            cause, detail = refusal
            is_shown = test.visibility == "public" and cause not in _SELF_EXPLAINING
            outcome = new_outcome(test, cause, detail, shown=detail if is_shown else None)
        else:
            outcome = self._run_test(test, lane.context)
            if outcome.check.cause is Cause.TIMEOUT:
                self._budget.draw(test.limits.seconds)
        self._outcomes.add(test.id, outcome)

    def _why_not(self, test: GradedTest) -> tuple[Cause, str] | None:
        """Why a test does not run, if it does not: no worker could change its outcome."""
        exercise, outcomes = test.exercise, self._outcomes
        if exercise.needs and not self._can_measure(exercise):
            return Cause.NEEDS_CUDA, f"{exercise.id} needs a CUDA device"
        for module in exercise.modules:
            if (cause := self._preflight.broken.get(module)) is not None:
                return cause, f"{module}.py could not be imported"
        for needed in exercise.depends_on:
            if outcomes.has_any(needed) and not outcomes.passes(needed):
                return Cause.PREREQUISITE, f"{needed} passes no test yet"
        if self._preflight.not_started.issuperset(exercise.functions):
            return Cause.NOT_STARTED, f"{', '.join(exercise.functions)}: still the handout's stub"
        try:
            self._budget.check_end()
        except SubmissionFailure as failure:
            return failure.cause, f"not tried: {failure.detail}"
        except GraderFault as fault:
            return Cause.GRADER_FAULT, str(fault)
        if outcomes.timed_out(exercise.id, test.visibility):
            if test.visibility != self._counted:
                return Cause.TIMEOUT, "not tried: an earlier test of this exercise hit its limit"
            if self._budget.is_spent:
                return Cause.TIMEOUT, (
                    "not tried: an earlier test of this exercise hit its limit, and such tests "
                    f"have spent the {self._budget.seconds:g} s of this grading"
                )
        return None
