"""Decides which tests of a grading are run, given earlier outcomes, in which order and lane."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial

import msgspec

from grader import signals
from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.judge.lanes import ForkedLane, Queue
from grader.judge.preflight import Preflight
from grader.judge.session import TestContext
from grader.judge.verdict import GradedTest, Outcome, new_outcome
from grader.races.device import why_none
from grader.races.runner import TimingRunner
from grader.results.record import Check, Visibility
from grader.supervisor.budget import TimeBudget
from grader.supervisor.pool import WorkerPool


@dataclass(frozen=True)
class Conditions:
    """What decides whether a test of this submission runs."""

    preflight: Preflight
    budget: TimeBudget
    counted: Visibility  # which tests carry points
    timing: TimingRunner | None  # runs tests on a device; None if none are run

    @cached_property
    def _no_device(self) -> str:
        """Why there is no device; asked once, not for each test that needs one."""
        return why_none()

    def why_not(self, test: GradedTest) -> tuple[Cause, str] | None:
        """Why a test is not run; None if it is."""
        exercise = test.exercise
        if exercise.needs and (self.timing is None or self.timing.device_of(exercise) is None):
            return Cause.NEEDS_CUDA, f"{exercise.id} needs a CUDA device; {self._no_device}"
        for module in exercise.modules:
            if (cause := self.preflight.broken.get(module)) is not None:
                return cause, f"{module}.py could not be imported"
        if self.preflight.not_started.issuperset(exercise.functions):
            return Cause.NOT_STARTED, f"{', '.join(exercise.functions)}: still the handout's stub"
        try:
            self.budget.check_end()
        except SubmissionFailure as failure:
            return Cause.NO_TIME_LEFT, f"not tried: {failure.detail}"
        except GraderFault as fault:
            return Cause.GRADER_FAULT, str(fault)
        if not self.budget.share_left(test.group):
            if test.visibility != self.counted:
                return Cause.NO_TIME_LEFT, "not tried: earlier tests of this exercise took too long"
            if self.budget.is_spent:
                return Cause.NO_TIME_LEFT, (
                    "not tried: earlier tests of this exercise took too long, and such tests "
                    f"have spent the {self.budget.seconds:g} s of this grading"
                )
        return None

    def refine_not_started(self, test: GradedTest, outcome: Outcome) -> Outcome:
        """A test's outcome; where no function is a stub, "not started" becomes unfinished."""
        check = outcome.check
        if check.cause is not Cause.NOT_STARTED:
            return outcome
        if self.preflight.not_started & {*test.exercise.functions}:
            return replace(outcome, check=msgspec.structs.replace(check, shown=None))
        unfinished = msgspec.structs.replace(check, cause=Cause.UNFINISHED)
        return replace(outcome, check=unfinished, manner=str(Cause.UNFINISHED))

    def is_cut(self, test: GradedTest) -> bool:
        """Whether a test that starts now gets less than its usual limit, and may run again later.

        Its exercise's share is nearly spent. Later it has its whole limit, and draws what it is
        charged then from the budget. Tests that carry no points never do.
        """
        limit = self.budget.limit(test.group, test.limits.seconds)
        return limit < test.limits.seconds and test.visibility == self.counted

    def must_wait(self, test: GradedTest) -> bool:
        """Whether a test is put off until every other exercise had its turn.

        It is once its exercise's share of time is spent, since it draws on the budget then.
        """
        return test.visibility == self.counted and not self.budget.share_left(test.group)


# Causes whose fixed words tell a student everything about a test that did not run.
_SELF_EXPLAINING = (Cause.NOT_STARTED, Cause.NEEDS_CUDA, Cause.GRADER_FAULT)


@dataclass(frozen=True)
class Lane:
    """One process's share of a grading: where its workers come from, and what its tests get."""

    pool: WorkerPool
    contexts: tuple[
        TestContext, ...
    ]  # shared workers, if tests may share; then workers of their own


@dataclass(frozen=True)
class LaneResult:
    """What a forked lane sends back: its outcomes by test id, and the ids of tests it put off."""

    outcomes: dict[str, Outcome]
    put_off: set[str]


class Scheduler:
    """Runs the tests of one submission.

    The first lane is this process; every other one is forked for a while. `run` runs one test in a
    context, and `on_check` is called with each check as it comes: again if its test runs again,
    and for those of another lane once that is done.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        conditions: Conditions,
        run: Callable[[GradedTest, TestContext], Outcome],
        on_check: Callable[[Check], None],
    ) -> None:
        self._lanes, self._lane = lanes, lanes[0]
        self._conditions, self._run_test, self._on_check = conditions, run, on_check
        self._outcomes: dict[str, Outcome] = {}  # of tests that ran or were refused, by id

    def run(self, tests: Sequence[GradedTest]) -> list[Outcome]:
        """Runs all tests; returns an outcome for each, in the same order.

        Public tests run first, then hidden ones; those put off come last of each. Tests on the
        device follow, one at a time, with nothing beside them.
        """
        for visibility in ("public", "hidden"):
            these = [t for t in tests if t.visibility == visibility and not t.on_device]
            put_off = self._run_in_lanes(_batches(these))
            # In one lane and in the manifest's order: which test draws the last of the budget must
            # not depend on how the lanes took turns.
            self._run_all(test for test in these if test.id in put_off)
            for lane in self._lanes:
                lane.pool.close()  # no worker of a public test lives beside a hidden one
        self._run_all(test for test in tests if test.on_device)
        return [self._outcomes[test.id] for test in tests]

    def _run_in_lanes(self, batches: list[list[GradedTest]]) -> set[str]:
        """Runs batches of tests that are all public or all hidden; returns the tests put off.

        Public and hidden tests never run beside each other: what a student's code prints in a
        public test is shown, and it could watch the machine's load during a hidden test.
        """
        with closing(Queue(len(batches))) as queue:
            forks = [
                ForkedLane(partial(self._run_forked, lane, batches, queue))
                for lane in self._lanes[1 : len(batches)]
            ]
            put_off = self._run_batches(batches, queue)
        for fork in forks:
            theirs = fork.result(LaneResult)
            for test_id, outcome in theirs.outcomes.items():
                self._add(test_id, outcome)
            put_off |= theirs.put_off
        return put_off

    def _run_forked(self, lane: Lane, batches: list[list[GradedTest]], queue: Queue) -> LaneResult:
        """What a forked lane does, with its own copy of this scheduler; it reports no check."""
        for other in self._lanes:
            if other is not lane:  # a copy of its connection would keep its zygote alive
                other.pool.zygote.disconnect()
        self._lane, self._outcomes, self._on_check = lane, {}, lambda _: None
        self._conditions.budget.lane = lane.pool.zygote.lane
        put_off = self._run_batches(batches, queue)
        lane.pool.close()
        lane.pool.zygote.drain()
        return LaneResult(self._outcomes, put_off)

    def _run_batches(self, batches: Sequence[Sequence[GradedTest]], queue: Queue) -> set[str]:
        """Runs batches from the queue until it is empty; returns the tests put off."""
        put_off = set[str]()
        while (number := queue.take()) is not None:
            put_off |= self._run_batch(batches[number])
        return put_off

    def _run_batch(self, batch: Sequence[GradedTest]) -> set[str]:
        """Runs tests of one exercise; returns the tests put off.

        Those that carry points share a worker as long as none fails; if one does, all run again, in
        workers of their own. One that is put off fails nothing: what passed before it stays. Those
        without points share a worker, and run once. The last test runs before the others, too: code
        can tell which is a worker's first one, and could answer it by other means than the rest.
        """
        put_off, contexts = set[str](), self._lane.contexts
        if batch[0].visibility != self._conditions.counted:
            contexts = contexts[:1]

        def passes(test: GradedTest, context: TestContext) -> bool:
            """Runs a test, or puts it off; returns False for any outcome but a pass."""
            if self._conditions.must_wait(test) or not self._try(test, context):
                put_off.add(test.id)
                return True
            return self._outcomes[test.id].check.state == "passed"

        for shared in contexts[:-1]:
            if all(passes(test, shared) for test in [batch[-1], *batch]):
                return put_off
        for test in batch:
            passes(test, contexts[-1])
        return put_off

    def _run_all(self, tests: Iterable[GradedTest]) -> None:
        """Runs each test, or notes why it does not run; none is put off."""
        context = self._lane.contexts[-1]
        for test in tests:
            if not self._try(test, context):  # its exercise's share is spent
                self._try(test, context)  # this time it draws on the budget

    def _try(self, test: GradedTest, context: TestContext) -> bool:
        """Runs a test, or notes why it is not run.

        Returns False, and notes nothing, if it carries points and timed out within a cut limit.
        The rest of its exercise's share is then forfeited.
        """
        signals.raise_if_stopped()
        if (refusal := self._conditions.why_not(test)) is not None:
            cause, detail = refusal
            is_shown = test.visibility == "public" and cause not in _SELF_EXPLAINING
            outcome = new_outcome(test, cause, detail, shown=detail if is_shown else None)
        else:
            is_cut = self._conditions.is_cut(test)
            outcome = self._conditions.refine_not_started(test, self._run_test(test, context))
            if is_cut and outcome.check.cause is Cause.TIMEOUT:
                self._conditions.budget.end_share(test.group)
                return False
        self._add(test.id, outcome)
        return True

    def _add(self, test_id: str, outcome: Outcome) -> None:
        """Keeps and reports an outcome."""
        self._outcomes[test_id] = outcome
        self._on_check(outcome.check)


def _batches(tests: Sequence[GradedTest]) -> list[list[GradedTest]]:
    """Tests by exercise, the largest batch first."""
    batches: dict[str, list[GradedTest]] = {}
    for test in tests:
        batches.setdefault(test.exercise.id, []).append(test)
    return sorted(batches.values(), key=len, reverse=True)
