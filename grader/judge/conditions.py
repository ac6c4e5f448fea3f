"""Decides whether a test runs, from what came before it in the same grading."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from assignment.manifest import Exercise
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.judge.outcome import GradedTest
from grader.judge.preflight import Preflight
from grader.judge.score import Outcome
from grader.judge.time_budget import TimeBudget
from grader.judge.timing.device import why_none
from grader.results.causes import Cause
from grader.results.record import Check, Visibility


class Outcomes:
    """The outcomes of one grading until now.

    Args:
        on_check: called with each check as it comes.
        earlier: outcomes to start with, by test id; they are not reported again.
    """

    def __init__(
        self, on_check: Callable[[Check], None], earlier: Mapping[str, Outcome] | None = None
    ) -> None:
        self._on_check = on_check
        self.by_id: dict[str, Outcome] = {}
        self._checks: dict[str, dict[str, Check]] = {}  # by exercise and test id
        for test_id, outcome in (earlier or {}).items():
            self._keep(test_id, outcome)

    def add(self, test_id: str, outcome: Outcome) -> None:
        self._keep(test_id, outcome)
        self._on_check(outcome.check)

    def _keep(self, test_id: str, outcome: Outcome) -> None:
        self.by_id[test_id] = outcome
        self._checks.setdefault(outcome.check.exercise, {})[test_id] = outcome.check

    def has_any(self, exercise: str) -> bool:
        """Whether any test of the exercise has an outcome."""
        return bool(self._checks.get(exercise))

    def passes(self, exercise: str) -> bool:
        """Whether any test of the exercise has passed."""
        return any(check.state == "passed" for check in self._of(exercise))

    def _of(self, exercise: str) -> Collection[Check]:
        return self._checks.get(exercise, {}).values()


@dataclass(frozen=True)
class Conditions:
    """What decides whether a test of this submission runs.

    Attributes:
        preflight: what importing the submission showed.
        budget: of time: each exercise's share, and what slower tests draw on.
        counted: which tests carry points.
        can_measure: whether an exercise that needs a device can be measured here.
    """

    preflight: Preflight
    budget: TimeBudget
    counted: Visibility
    can_measure: Callable[[Exercise], bool]

    @cached_property
    def _no_device(self) -> str:
        """Why there is no device; asked once, not for each test that needs one."""
        return why_none()

    def why_not(self, test: GradedTest, outcomes: Outcomes) -> tuple[Cause, str] | None:
        """Why a test does not run, if it does not: no worker could change its outcome."""
        exercise = test.exercise
        if exercise.needs and not self.can_measure(exercise):
            return Cause.NEEDS_CUDA, f"{exercise.id} needs a CUDA device; {self._no_device}"
        for module in exercise.modules:
            if (cause := self.preflight.broken.get(module)) is not None:
                return cause, f"{module}.py could not be imported"
        for needed in exercise.depends_on:
            if outcomes.has_any(needed) and not outcomes.passes(needed):
                return Cause.PREREQUISITE, f"{needed} passes no test yet"
        if self.preflight.not_started.issuperset(exercise.functions):
            return Cause.NOT_STARTED, f"{', '.join(exercise.functions)}: still the handout's stub"
        try:
            self.budget.check_end()
        except SubmissionFailure as failure:
            return failure.cause, f"not tried: {failure.detail}"
        except GraderFault as fault:
            return Cause.GRADER_FAULT, str(fault)
        if not self.budget.share_left(test.group):
            if test.visibility != self.counted:
                return Cause.TIMEOUT, "not tried: earlier tests of this exercise took too long"
            if self.budget.is_spent:
                return Cause.TIMEOUT, (
                    "not tried: earlier tests of this exercise took too long, and such tests "
                    f"have spent the {self.budget.seconds:g} s of this grading"
                )
        return None

    def is_cut(self, test: GradedTest) -> bool:
        """Whether a test that starts now has less than its usual limit, and could have that later.

        What is left of its exercise's share is less. Tests that carry no points have no more.
        """
        limit = self.budget.limit(test.group, test.limits.seconds)
        return limit < test.limits.seconds and test.visibility == self.counted
