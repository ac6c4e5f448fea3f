"""The fixtures of tests that run on a device: `race`, `fits` and `truth`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assignment.hooks import seed_of
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.judge.session import ATTEMPT
from grader.races.measures import MemoryBudgets, TimerTruth
from grader.races.on_device import DeviceTest
from grader.races.race import Race


class TimingPlugin:
    """A pytest plugin."""

    @pytest.fixture
    def race(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`race(program)` times a program of `assignment/programs` on submission and reference."""
        measure = _measurement(request, Race)

        def run(program: str) -> None:
            if (timing := measure(program)).mark < 1:
                ratio = f"{timing.ratio:.3f} times the reference's time"
                raise SubmissionFailure(Cause.TOO_SLOW, ratio)

        return run

    @pytest.fixture
    def fits(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """`fits(program)` runs the submission in the program's memory budgets."""
        measure = _measurement(request, MemoryBudgets)

        def run(program: str) -> None:
            if (fit := measure(program)).mark < 1:
                enough = f"{sum(fit.fitted)} of {len(fit.fitted)} budgets were enough"
                raise SubmissionFailure(Cause.MEMORY, enough)

        return run

    @pytest.fixture
    def truth(self, request: pytest.FixtureRequest) -> Callable[[str], object]:
        """`truth(program)` compares what a timer reports with the judge's clock."""
        return _measurement(request, TimerTruth)


def _measurement(request: pytest.FixtureRequest, kind: type[DeviceTest]) -> Callable[[str], Any]:
    """What measures a program for the test that asks, and notes the result in the attempt."""
    attempt = request.node.stash[ATTEMPT]
    test, context = attempt.test, attempt.context
    rng = np.random.default_rng(seed_of(context.nonce, "race", test.id))

    def run(program: str) -> Any:
        measure = context.timing.test(kind, program, test.exercise, test.limits, rng)
        attempt.measured = found = measure.run()
        return found

    return run
