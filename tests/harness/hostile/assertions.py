"""Assertions about an attack: it earns nothing, reveals no secret, and leaves nothing behind."""

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from assignment import manifest
from grader.causes import Cause
from grader.judge.grader import Grader
from grader.results.record import Check, Grade, from_json, to_json
from tests.harness.conftest import (
    CANARY,
    NAMED,
    REPOSITORY,
    hidden,
    lent,
    processes_of,
    wait_until,
)
from tests.harness.hostile.hand_in import HOSTILE
from tests.harness.results.example_grade import STUDENT_OUTPUTS, console


def student_outputs(grade: Grade) -> str:
    """All outputs that a student may read, as one text."""
    others = [render(grade) for name, render in STUDENT_OUTPUTS.items() if name != "console"]
    return "\n".join([console(grade, width=200), *others])


@functools.cache
def secret_lines() -> set[str]:
    """Lines of the reference and the hidden tests that are in no public file."""
    lines: set[str] = set()
    for path in [
        *(REPOSITORY / "solutions" / "resource_accounting").glob("*.py"),
        *(REPOSITORY / "tests" / "hidden").glob("*.py"),
    ]:
        lines.update(line.strip() for line in path.read_text().splitlines())
    public = "\n".join(
        path.read_text()
        for folder in ("assignment", "tests/public", "handout/resource_accounting")
        for path in (REPOSITORY / folder).rglob("*.py")
    )
    own = "\n".join(path.read_text() for path in HOSTILE.rglob("*.py"))
    lines = {line for line in lines if len(line) > 30}
    return lines - contained(lines, public) - contained(lines, own)


def contained(lines: set[str], text: str) -> set[str]:
    """Those of the lines, each of more than 30 characters, that occur in the text.

    A line that occurs covers one of the text's blocks of 16; few do, and only those are sought.
    """
    blocks = {text[i : i + 16] for i in range(0, len(text), 16)}
    near = (line for line in lines if any(line[i : i + 16] in blocks for i in range(16)))
    return {line for line in near if line in text}


def assert_earns_nothing(grade: Grade, exercise: str, causes: set[Cause]) -> None:
    """Asserts that every hidden check of the exercise failed, each for one of these causes.

    Or its function is missing, if there are several: an attack may write one.
    """
    checks = hidden(grade, exercise)
    assert {c.cause for c in checks} & causes
    assert grade.faults == ()
    if len(manifest.load()[exercise].functions) > 1:
        causes = {*causes, Cause.MISSING}
    if Cause.TIMEOUT in causes:  # then later tests may not be tried
        causes = {*causes, Cause.NO_TIME_LEFT}
    others = [(c.test, c.cause, c.detail) for c in checks if c.cause not in causes]
    assert not others, (grade.submission, others)  # campaigns run without pytest's own message
    assert {c.state for c in checks} <= {"failed", "open"}
    assert grade.score == 0.0
    assert all(one.points == 0 < one.max_points for one in grade.exercises)
    assert from_json(to_json(grade)) == grade


def assert_no_secret_shown(grade: Grade) -> None:
    """Asserts that what a student reads holds no secret, and no text from a hidden test."""
    shown = student_outputs(grade)
    assert CANARY not in shown
    assert "only the judge may read this" not in shown
    assert not contained(secret_lines(), shown)
    assert shown == student_outputs(with_other_details(grade))


def with_other_details(grade: Grade) -> Grade:
    """The same grade with another detail, duration and rare exception for each hidden test.

    And with another detail for each public test that ran with a further seed.
    """

    def other(check: Check) -> Check:
        if check.visibility == "public":
            return check
        named = check.exception if check.exception in NAMED else "BufferError"
        return msgspec.structs.replace(
            check,
            detail="something else",
            seconds=1.5,
            exception=named if check.cause is Cause.EXCEPTION else None,
        )

    further = grade.further and msgspec.structs.replace(
        grade.further,
        runs=7,
        charged=1.5,
        fault="something else",
        failures=tuple(
            msgspec.structs.replace(failure, cause=Cause.DIED, detail="something else")
            for failure in grade.further.failures
        ),
    )
    return msgspec.structs.replace(
        grade,
        seconds=grade.seconds + 100,
        checks=tuple(map(other, grade.checks)),
        further=further,
    )


def assert_nothing_left(grader: Grader, before: set[int]) -> None:
    """Asserts that the workers left no process and no file behind."""
    assert wait_until(lambda: processes_of(grader) == before), processes_of(grader) - before
    if os.getuid() == 0:
        run = Path(f"/proc/{grader.zygote._process.pid}/root{grader.zygote.folder}")
        for place in ("scratch/*", "submissions/*", "trusted/*", "shared/*/*/"):
            assert wait_until(lambda p=place: not list(run.glob(p))), place


@contextmanager
def time_limit(grader: Grader, seconds: float) -> Iterator[None]:
    """Sets each test's time limit, and a budget that many such tests do not spend.

    For attacks that do not try to run for ever: a slow machine decides nothing about them.
    """
    limits = msgspec.structs.replace(grader.manifest.limits, seconds=seconds)
    manifest = msgspec.structs.replace(grader.manifest, limits=limits)
    with lent(grader, manifest=manifest, budget=100 * seconds):
        yield
