"""A test to be graded, the check that comes out of it, and the points of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest

from assignment.expect import Mismatch
from assignment.hooks import exercise_of, title_of
from assignment.manifest import Exercise, Limits, Manifest
from grader.causes import NAMED_EXCEPTIONS, Cause
from grader.faults import (
    FromSubmission,
    GraderFault,
    NotMeasured,
    SubmissionFailure,
    Suspicious,
    TooMuchWork,
    builtin_named,
    is_machine_error,
    is_out_of_memory,
)
from grader.judge.shown import KeptCalls, for_staff, for_student
from grader.results.record import Check, ExerciseScore, Fit, Timing, Truth, Visibility

# Causes that have nothing to do with the rule that a test is about.
_OF_ANY_RULE = (
    *(Cause.NOT_PLAIN_DATA, Cause.LEFT_CHANGED, Cause.TIMEOUT),
    *(Cause.DIED, Cause.PROTOCOL, Cause.TOO_LARGE),
)
# The rule that LEFT_CHANGED says is broken: it is every test's, whatever its own rule.
_UNCHANGED = "Calls change nothing else, and return the object that they should, in the check of: "
# Causes that leave an exercise unmeasured: nothing shows that its code is at fault.
UNMEASURED_CAUSES = (Cause.NEEDS_CUDA, Cause.NOT_MEASURED, Cause.SUSPICIOUS, Cause.GRADER_FAULT)


@dataclass(frozen=True)
class Outcome:
    """One test's outcome, before points are given."""

    check: Check
    weight: float  # of its test function; parametrized cases share it
    function: str  # names the test function, without parameters
    needs: str = ""  # names the one without which this test earns nothing, if there is one
    manner: str = ""  # how it failed, if that says nothing of its own rule: one manner, one mistake


def score(
    exercises: Iterable[Exercise], outcomes: list[Outcome], visibility: str
) -> tuple[tuple[Check, ...], tuple[ExerciseScore, ...]]:
    """Divides each exercise's points among its tests of one visibility, by weight.

    All points are whole hundredths, so that what is shown of them adds up.

    Only tests of `visibility` give points: usually the hidden ones, since the answers of public
    tests are public. A test function's weight is shared equally among its parametrized cases.
    Returns the checks, in the order of `outcomes`, and the score of each exercise with such tests.
    """
    outcomes = _with_open_checks(outcomes)
    checks = [outcome.check for outcome in outcomes]
    scores: list[ExerciseScore] = []
    for exercise in exercises:
        own = [
            (i, outcome)
            for i, outcome in enumerate(outcomes)
            if outcome.check.exercise == exercise.id and outcome.check.visibility == visibility
        ]
        if not own:
            continue
        cases = Counter(outcome.function for _, outcome in own)
        parts = [outcome.weight / cases[outcome.function] for _, outcome in own]
        shares = _shares(parts, exercise.points)
        earned = 0
        for (i, outcome), share in zip(own, shares, strict=True):
            got = round(share * _mark(outcome.check))
            checks[i] = msgspec.structs.replace(
                outcome.check, points=got / 100, max_points=share / 100
            )
            earned += got
        scores.append(
            ExerciseScore(
                id=exercise.id,
                title=exercise.title,
                chapter=exercise.chapter,
                points=earned / 100,
                max_points=exercise.points,
                measured=not any(outcome.check.cause in UNMEASURED_CAUSES for _, outcome in own),
                hint=exercise.hint,
                core=exercise.core,
                builds_on=exercise.depends_on,
                grader_only=exercise.grader_only,
            )
        )
    return tuple(checks), tuple(scores)


def _shares(weights: Sequence[float], points: float) -> list[int]:
    """Hundredths of points by weight. What rounding down leaves goes to those who lost most."""
    whole = round(100 * points)
    exact = [weight / sum(weights) * whole for weight in weights]
    shares = [int(share) for share in exact]
    by_loss = sorted(range(len(shares)), key=lambda i: shares[i] - exact[i])
    for i in by_loss[: whole - sum(shares)]:
        shares[i] += 1
    return shares


def _with_open_checks(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes, where checks become open that say nothing about their own rule.

    One mistake can make all tests of an exercise fail, whatever their rules: the first one tells
    it, and those of other test functions of its visibility that fail in the same manner are
    open. So are those that pass although the test of the work that they need has failed.
    """
    count = Counter[str]()
    first: dict[tuple[str, ...], tuple[int, Outcome]] = {}
    told_in: dict[str, int] = {}  # by failed function, the number of the check that tells why
    for one in outcomes:
        check = one.check
        count[check.exercise] += 1
        if check.state == "failed":
            number = count[check.exercise]
            told_by = number
            if one.manner:
                alike = check.exercise, check.visibility, one.manner
                told_by, _ = first.setdefault(alike, (number, one))
            told_in.setdefault(one.function, told_by)
    opened = []
    for one in outcomes:
        check = one.check
        if check.state == "passed" and one.needs in told_in:
            check = msgspec.structs.replace(
                check, state="open", cause=Cause.NEEDS_WORK, waits_for=told_in[one.needs]
            )
        elif check.state == "failed" and one.manner:
            number, other = first[check.exercise, check.visibility, one.manner]
            if other.function != one.function:  # cases of one function have one rule
                check = msgspec.structs.replace(check, state="open", waits_for=number)
        opened.append(replace(one, check=check))
    return opened


def _mark(check: Check) -> float:
    """The share of its points that a check earns: a part even if a race or memory test failed."""
    if check.cause is Cause.TOO_SLOW and check.timing is not None:
        return check.timing.mark
    if check.cause is Cause.MEMORY and check.fit is not None:
        return check.fit.mark
    return 1.0 if check.state == "passed" else 0.0


def total(scores: Iterable[ExerciseScore]) -> tuple[float, float]:
    """The earned points and the maximum points, of core exercises that could be measured."""
    counted = [score for score in scores if score.measured and score.core]
    points = round(sum(s.points for s in counted), 2)  # of hundredths, as all are
    return points, round(sum(s.max_points for s in counted), 2)


DEVICE_FIXTURES = {"race", "fits", "truth"}  # of tests that run alone, on the device
_MAX_DETAIL = 20_000  # characters
_STAFF_OUTPUT, _STUDENT_OUTPUT = 4000, 1000  # characters of what the submission printed


@dataclass(frozen=True, eq=False)
class GradedTest:
    """One collected test."""

    item: pytest.Item
    id: str  # pytest's
    name: str  # what a grade calls it, `file::name`
    exercise: Exercise
    visibility: Visibility
    limits: Limits  # of one run
    on_device: bool  # whether it runs alone, on the device

    def __repr__(self) -> str:
        return f"<GradedTest {self.name}>"

    @property
    def group(self) -> str:
        """Names tests that share time, and perhaps a worker: one exercise's and visibility's."""
        return f"{self.exercise.id} {self.visibility}"


def graded_tests(
    items: Sequence[pytest.Item], manifest: Manifest, public: Path
) -> list[GradedTest]:
    """The tests that pytest collected; those in the folder `public` are public, all others hidden.

    Raises GraderFault if a test needs one that is not there.
    """
    found = []
    functions = {_test_function_of(item) for item in items}
    for item in items:
        if (needs := _needs(item)) and needs not in functions:
            raise GraderFault(f"{item.nodeid} needs {needs}, and there is no such test")
        exercise = manifest[exercise_of(item) or ""]
        found.append(
            GradedTest(
                item,
                item.nodeid,
                f"{item.path.stem}::{item.name}",
                exercise,
                "public" if item.path.is_relative_to(public) else "hidden",
                manifest.limits_of(exercise),
                bool(DEVICE_FIXTURES & set(getattr(item, "fixturenames", ()))),
            )
        )
    return found


def new_outcome(
    test: GradedTest,
    cause: Cause | None,
    detail: str | None,
    *,
    shown: str | None = None,
    exception: str | None = None,
    seconds: float = 0.0,
    charged: float = 0.0,
    measured: Timing | Fit | Truth | None = None,
    wrong_value: bool = False,
) -> Outcome:
    """A test's outcome, before points: passed without a `cause`; not run, or failed, by it.

    `wrong_value`: a value was wrong, which can fail tests of other rules in the same manner.
    """
    not_run = cause in UNMEASURED_CAUSES
    title = title_of(test.item)
    if cause is Cause.LEFT_CHANGED:
        title = f"{_UNCHANGED}{title}"
    check = Check(
        exercise=test.exercise.id,
        test=test.name,
        title=title,
        state="passed" if cause is None else "not_run" if not_run else "failed",
        points=0.0,
        max_points=0.0,
        cause=cause,
        exception=exception,
        detail=detail,
        shown=shown,
        seconds=round(seconds, 4),
        charged=round(charged, 4),
        visibility=test.visibility,
        timing=measured if isinstance(measured, Timing) else None,
        fit=measured if isinstance(measured, Fit) else None,
        truth=measured if isinstance(measured, Truth) else None,
    )
    weight = float(_marker(test.item).get("weight", 1))
    manner = str(cause) if wrong_value or cause in _OF_ANY_RULE else ""
    if cause is Cause.EXCEPTION:  # classes that no student is told are all alike
        manner = exception if exception in NAMED_EXCEPTIONS else str(cause)
    return Outcome(check, weight, _test_function_of(test.item), _needs(test.item), manner)


def _marker(item: pytest.Item) -> Mapping[str, Any]:
    """What a test's marker says besides its exercise."""
    marker = item.get_closest_marker("exercise")
    return marker.kwargs if marker else {}


def _test_function_of(item: pytest.Item) -> str:
    return f"{item.path}::{getattr(item, 'originalname', item.name)}"


def _needs(item: pytest.Item) -> str:
    """The test function without whose success this one earns nothing; empty if there is none."""
    name = _marker(item).get("needs", "")
    return name and f"{item.path}::{name}"


class Graded(Protocol):
    """What an implementation tells of its test, at any moment."""

    requests: int  # that the submission's code was sent, whatever came of them
    calls: KeptCalls  # the last ones, for the message of a public test

    @property
    def output(self) -> str: ...  # what that code printed
    @property
    def charged(self) -> float: ...  # seconds that the submission's processes were charged


def outcome_of_run(
    test: GradedTest,
    error: BaseException | None,
    implementation: Graded | None,
    measured: Timing | Fit | Truth | None,
    seconds: float,
) -> Outcome:
    """The outcome of a test that ran, and raised `error` or passed, in `seconds` of wall time.

    It is a fault of the grader if it passed without any request. `measured` is what a test on a
    device measured.
    """
    requests, calls = int(measured is not None), KeptCalls(0)
    charged, printed = 0.0, ""
    if implementation is not None:
        requests, calls = implementation.requests, implementation.calls
        charged = implementation.charged
        printed = implementation.output if error is not None or not requests else ""
    cause = None if error is None else cause_of(error, requests)
    if cause is None and not requests:
        cause, error = Cause.GRADER_FAULT, GraderFault("the test never called the submission")
    detail = shown = None
    if error is not None:
        try:
            staff = for_staff(error, test.item.path, calls)
            detail = _with_output(staff, printed, _STAFF_OUTPUT)[-_MAX_DETAIL:]
            if test.visibility == "public" and cause is not Cause.NEEDS_CUDA:
                shown = _with_output(for_student(error, calls), printed, _STUDENT_OUTPUT)
                shown = shown[:_MAX_DETAIL]
        except (MemoryError, TooMuchWork) as more:
            detail = f"{type(error).__name__}, whose text takes too much: {more}"
    kind = builtin_named(type(error).__name__)
    return new_outcome(
        test,
        cause,
        detail,
        shown=shown,
        exception=kind.__name__ if cause is Cause.EXCEPTION else None,
        seconds=seconds,
        charged=charged,
        measured=measured,
        wrong_value=cause is Cause.WRONG_ANSWER and _is_of_a_value(error),
    )


def _is_of_a_value(error: BaseException | None) -> bool:
    """Whether a wrong value failed a test; not True or False, by which a test states its rule."""
    whole = error.whole if isinstance(error, Mismatch) else None
    return whole is not None and not isinstance(whole[1], bool)


def cause_of(error: BaseException, requests: int) -> Cause:
    """The cause of a test's failure.

    After a request, an exception of the test's own code is blamed on the answer, whose type,
    content or size (`effort.py`) can make a test raise nearly anything, for lack of memory, too.
    Before any request it is a fault of the grader, and so are always other errors of the machine,
    and outcomes such as `pytest.skip`.
    """
    if requests and is_out_of_memory(error):
        return Cause.TOO_LARGE
    if isinstance(error, TooMuchWork) and not requests:
        return Cause.GRADER_FAULT
    if isinstance(error, SubmissionFailure):
        return error.cause
    if isinstance(error, NotMeasured):
        return Cause.NOT_MEASURED
    if isinstance(error, Suspicious):
        return Cause.SUSPICIOUS
    if isinstance(error, FromSubmission):
        return Cause.EXCEPTION
    is_tests = isinstance(error, Exception | pytest.fail.Exception)
    if isinstance(error, GraderFault) or is_machine_error(error) or not requests or not is_tests:
        return Cause.GRADER_FAULT
    return Cause.WRONG_ANSWER


def _with_output(text: str, printed: str, limit: int) -> str:
    """A failure's text, and the end of what the submission printed."""
    return "\n\n".join(filter(None, (text, printed and f"printed:\n{printed[-limit:]}")))
