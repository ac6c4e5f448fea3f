"""The fixtures of tests that run on a device: `race`, `fits` and `truth`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assignment.hooks import seed_of
from grader.judge.failure import SubmissionFailure
from grader.judge.plugin import ATTEMPT, Attempt
from grader.judge.timing.runner import TimingRunner
from grader.results.causes import Cause


class TimingPlugin:
    """A pytest plugin.

    Args:
        runner: runs the tests on the device.
        nonce: seeds what they draw.
    """

    def __init__(self, runner: TimingRunner, nonce: str) -> None:
        self._runner, self._nonce = runner, nonce

    @pytest.fixture
    def race(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`race("program")` compares the submission's time with the reference's."""
        attempt, rng = self._attempt(request)

        def run(program: str) -> None:
            test = attempt.test
            timing = self._runner.race(program, test.exercise, test.limits, rng)
            attempt.has_measured, attempt.measured = True, timing
            if timing.mark < 1:
                raise SubmissionFailure(
                    Cause.TOO_SLOW, f"{timing.ratio:.3f} times the reference's time"
                )

        return run

    @pytest.fixture
    def fits(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`fits("program")` runs the submission in the program's memory budgets."""
        attempt, rng = self._attempt(request)

        def run(program: str) -> None:
            test = attempt.test
            fit = self._runner.fit(program, test.exercise, test.limits, rng)
            attempt.has_measured, attempt.measured = True, fit
            if fit.mark < 1:
                raise SubmissionFailure(
                    Cause.MEMORY, f"{sum(fit.fitted)} of {len(fit.fitted)} budgets were enough"
                )

        return run

    @pytest.fixture
    def truth(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`truth("program")` compares what a timer reports with the judge's clock."""
        attempt, rng = self._attempt(request)

        def run(program: str) -> None:
            test = attempt.test
            self._runner.truth(program, test.exercise, test.limits, rng)
            attempt.has_measured = True

        return run

    def _attempt(self, request: pytest.FixtureRequest) -> tuple[Attempt, np.random.Generator]:
        attempt = request.node.stash[ATTEMPT]
        return attempt, np.random.default_rng(seed_of(self._nonce, "race", attempt.test.id))
