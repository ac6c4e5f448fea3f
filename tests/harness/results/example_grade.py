"""A grade with every kind of check, and all outputs that a student may read of it."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from grader.causes import Cause
from grader.results import student
from grader.results.console import summary
from grader.results.gradescope import to_gradescope
from grader.results.html import to_html
from grader.results.junit import to_junit
from grader.results.record import (
    Check,
    ExerciseScore,
    FurtherFailure,
    FurtherRuns,
    Grade,
    Isolation,
    ModuleReport,
)

CANARY = "canary-7f3a"
PUBLIC = "expected: (12, 4, 1)"


def check(exercise: str, state: str = "passed", cause: Cause | None = None, **fields: Any) -> Check:
    """A hidden check; the fields that only staff may see hold the canary."""
    name = fields.pop("name", "test_rule")
    worth = 0.0 if fields.get("visibility") == "public" else 1.0
    defaults: dict[str, Any] = {
        "test": f"test_{exercise}::{name}",
        "title": f"A rule of {exercise}",
        "points": worth if state == "passed" else 0.0,
        "max_points": worth,
        "detail": f"{CANARY} AssertionError: assert 17 == 23",
        "seconds": 0.777,
    }
    return Check(exercise=exercise, state=state, cause=cause, **(defaults | fields))


def student_text(check: Check) -> str:
    """What students read below a check's title."""
    return "\n".join(filter(None, (student._words(check), student._detail(check))))


def exercise(name: str, got: float, of: float, chapter: str = "strides", **fields: Any):
    fields = {"title": f"About {name}", "measured": True, "hint": f"Think of {name}."} | fields
    return ExerciseScore(id=name, chapter=chapter, points=got, max_points=of, **fields)


def grade(**fields: Any) -> Grade:
    """The grade of a half-finished submission, with every kind of check."""
    failed = "failed"
    defaults: dict[str, Any] = {
        "submission": "alice",
        "score": 3.5,
        "max_score": 12.0,
        "isolation": Isolation(tier="B", probes={"read": f"{CANARY} refused"}),
        "nonce": CANARY,
        "tests": "all",
        "checks": (
            check("done", name="test_one"),
            check("done", name="test_two"),
            check("half"),
            check("half", failed, Cause.WRONG_ANSWER, title="An offset is added"),
            check("half", failed, Cause.EXCEPTION, exception="ZeroDivisionError"),
            check(
                *("half", "open", Cause.WRONG_ANSWER),
                title="No offset is refused",
                waits_for=2,
            ),
            check(
                "half", failed, Cause.WRONG_ANSWER, visibility="public", shown=PUBLIC, seconds=0.25
            ),
            check("untouched", failed, Cause.NOT_STARTED),
            check("untouched", failed, Cause.NOT_STARTED),
            check("builds_on_it", failed, Cause.TIMEOUT),
            check("on_gpu", "not_run", Cause.NEEDS_CUDA),
        ),
        "exercises": (
            exercise("done", 2.0, 2.0, "dtypes"),
            exercise("half", 1.5, 4.0),
            exercise("untouched", 0.0, 3.0),
            exercise("builds_on_it", 0.0, 3.0, builds_on=("untouched", "done")),
            exercise("on_gpu", 0.0, 5.0, "precision", measured=False),
        ),
        "modules": (
            ModuleReport(module="dtypes", ok=True),
            ModuleReport(
                module="strides",
                ok=False,
                message="SyntaxError: <script>alert('hi')</script> was never closed",
                file="resource_accounting/strides.py",
                line=12,
            ),
        ),
        "left_out": ("conftest.py", "notes/[bold]plan[/bold].txt"),
        "started": "2026-01-02T03:04:05+00:00",
        "seconds": 8.123,
        "version": "0.1.0",
        "further": FurtherRuns(
            runs=17,
            charged=0.25,
            failures=(
                FurtherFailure(
                    exercise="half",
                    test="test_half::test_rule",
                    title="Any `x` of [half] <b>",
                    seed=17,
                    cause=Cause.WRONG_ANSWER,
                    detail=CANARY,
                ),
            ),
        ),
    }
    return Grade(**(defaults | fields))


def console(of: Grade, *, width: int = 80, staff: bool = False) -> str:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(summary(of, staff=staff))
    return file.getvalue()


def gradescope(of: Grade) -> str:
    """The strings of results.json as a student reads them, without JSON's escapes."""
    return json.dumps(json.loads(to_gradescope(of)), ensure_ascii=False)


STUDENT_OUTPUTS = {
    "results.json": gradescope,
    "report.html": to_html,
    "junit.xml": lambda of: to_junit(of).decode(),
    "console": console,
}
every_output = pytest.mark.parametrize("render", STUDENT_OUTPUTS.values(), ids=STUDENT_OUTPUTS)
