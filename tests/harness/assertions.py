"""What must hold after an attack: nothing earned, nothing shown, nothing left."""

import functools
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console

from grader.judge.grader import Grader
from grader.results import console, gradescope, html, junit
from grader.results.causes import Cause
from grader.results.record import Check, Grade, from_json, to_json
from tests.harness.conftest import CANARY, HOSTILE, REPOSITORY, hidden, processes_of, wait_until


def shown_to_the_student(grade: Grade) -> str:
    """Every output that a student may read, in one text."""
    screen = Console(file=io.StringIO(), width=200)
    screen.print(console.summary(grade))
    assert isinstance(screen.file, io.StringIO)
    return "\n".join(
        [
            screen.file.getvalue(),
            html.to_html(grade),
            junit.to_junit(grade).decode(),
            gradescope.to_gradescope(grade).decode(),
        ]
    )


@functools.cache
def secret_lines() -> set[str]:
    """Lines of the reference's code and of the hidden tests that stand nowhere public."""
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
    return {line for line in lines if len(line) > 30 and line not in public and line not in own}


def assert_earns_nothing(grade: Grade, exercise: str, causes: set[Cause]) -> None:
    """Every hidden check of the exercise failed, each for one of these causes."""
    checks = hidden(grade, exercise)
    assert checks
    assert grade.faults == ()
    assert [(c.test, c.cause, c.detail) for c in checks if c.cause not in causes] == []
    assert {c.state for c in checks} == {"failed"}
    assert grade.score == 0.0
    assert grade.max_score > 0
    assert from_json(to_json(grade)) == grade


def assert_nothing_shown(grade: Grade) -> None:
    """No secret is in what a student reads, and nothing that was said in a hidden test."""
    shown = shown_to_the_student(grade)
    assert CANARY not in shown
    assert "only the judge may read this" not in shown
    assert not [line for line in secret_lines() if line in shown]
    assert shown == shown_to_the_student(without_words(grade))


def without_words(grade: Grade) -> Grade:
    """The same grade, had each hidden test ended with other words and in another time."""

    def other(check: Check) -> Check:
        if check.visibility == "public":
            return check
        return msgspec.structs.replace(check, detail="something else", seconds=1.5)

    return msgspec.structs.replace(grade, checks=tuple(map(other, grade.checks)))


def assert_nothing_left(grader: Grader, before: set[int]) -> None:
    """No process of a worker's lives on, and nothing that it wrote."""
    assert wait_until(lambda: processes_of(grader) == before), processes_of(grader) - before
    if os.getuid() == 0:
        run = Path(f"/proc/{grader.zygote._process.pid}/root{grader.zygote.folder}")
        for place in ("scratch/*", "submissions/*", "exchange/*/*"):
            assert wait_until(lambda p=place: not list(run.glob(p))), place


@contextmanager
def time_limit(grader: Grader, seconds: float) -> Iterator[None]:
    """Gives a test this long, for attacks that do not wait for the end of their time."""
    usual = grader.manifest
    limits = msgspec.structs.replace(usual.limits, seconds=seconds)
    grader.manifest = msgspec.structs.replace(usual, limits=limits)
    try:
        yield
    finally:
        grader.manifest = usual
