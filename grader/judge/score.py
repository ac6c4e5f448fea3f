"""Turns the outcomes of tests into points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec

from assignment.manifest import Exercise
from grader.results.causes import Cause
from grader.results.record import Check, ExerciseScore

# Causes that are the machine's or the grader's fault: such an exercise is not measured.
NOT_MEASURED = (Cause.NEEDS_CUDA, Cause.NOT_MEASURED, Cause.SUSPICIOUS, Cause.GRADER_FAULT)


@dataclass(frozen=True)
class Outcome:
    """One test's outcome, before points are given.

    Attributes:
        check: the record of the test.
        weight: of its test function; parametrized cases share it.
        function: names the test function, without parameters.
        needs: names the one without which this test earns nothing, if there is one.
    """

    check: Check
    weight: float
    function: str
    needs: str = ""


def score(
    exercises: Iterable[Exercise], outcomes: list[Outcome], visibility: str
) -> tuple[tuple[Check, ...], tuple[ExerciseScore, ...]]:
    """Divides each exercise's points among its tests of one visibility, by weight.

    Only tests of `visibility` give points: usually the hidden ones, since the answers of public
    tests are public. A test function's weight is shared equally among its parametrized cases. One
    that passes without the work of its exercise, which another test judges, earns nothing.

    Returns:
        The checks, in the order of `outcomes`, and the score of each exercise that has such tests.
    """
    failed = {outcome.function for outcome in outcomes if outcome.check.state == "failed"}
    outcomes = [_without_work(one) if one.needs in failed else one for one in outcomes]
    points: dict[int, tuple[float, float]] = {}
    scores: list[ExerciseScore] = []
    for exercise in exercises:
        own = [
            (i, outcome)
            for i, outcome in enumerate(outcomes)
            if outcome.check.exercise == exercise.id and outcome.check.visibility == visibility
        ]
        if not own:
            continue
        cases: dict[str, int] = {}
        weights: dict[str, float] = {}
        for _, outcome in own:
            cases[outcome.function] = cases.get(outcome.function, 0) + 1
            weights[outcome.function] = outcome.weight
        whole = sum(weights.values())
        earned = 0.0
        for i, outcome in own:
            share = outcome.weight / cases[outcome.function] / whole * exercise.points
            got = share * _mark(outcome.check)
            points[i] = (got, share)
            earned += got
        all_passed = all(outcome.check.state == "passed" for _, outcome in own)
        scores.append(
            ExerciseScore(
                id=exercise.id,
                title=exercise.title,
                chapter=exercise.chapter,
                points=exercise.points if all_passed else earned,
                max_points=exercise.points,
                measured=not any(outcome.check.cause in NOT_MEASURED for _, outcome in own),
                hint=exercise.hint,
            )
        )
    checks = tuple(
        msgspec.structs.replace(
            outcome.check,
            points=points.get(i, (0.0, 0.0))[0],
            max_points=points.get(i, (0.0, 0.0))[1],
        )
        for i, outcome in enumerate(outcomes)
    )
    return checks, tuple(scores)


def _without_work(outcome: Outcome) -> Outcome:
    """The outcome of a test whose exercise's work is not done."""
    if outcome.check.state != "passed":
        return outcome
    check = msgspec.structs.replace(outcome.check, state="failed", cause=Cause.NEEDS_WORK)
    return replace(outcome, check=check)


def _mark(check: Check) -> float:
    """The share of its points that a check earns, 0 to 1; only races and memory tests have shares
    in between."""
    if check.cause is Cause.TOO_SLOW and check.timing is not None:
        return check.timing.mark
    if check.cause is Cause.MEMORY and check.fit is not None:
        return check.fit.mark
    return 1.0 if check.state == "passed" else 0.0


def total(scores: Iterable[ExerciseScore]) -> tuple[float, float]:
    """The earned points and the maximum points, without exercises that could not be measured."""
    measured = [score for score in scores if score.measured]
    return sum(s.points for s in measured), sum(s.max_points for s in measured)
