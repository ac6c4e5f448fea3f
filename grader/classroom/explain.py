"""Why a mark is what it is, for staff who must defend it: check by check, from the record alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.text import Text

from grader.causes import Cause
from grader.judge.provenance import SHORT
from grader.results.console import STATE_STYLE
from grader.results.record import Check, Grade
from grader.results.student import MARKS, causes_of, roots_of
from grader.results.text import clean, points

_SAID_ONCE: dict[Cause | None, str] = {  # of an exercise, not of each check
    Cause.NOT_STARTED: "not started",
    Cause.IMPORT_FAILED: "not imported",
    Cause.NEEDS_CUDA: "not measured: no CUDA device",
}
_OWN_FRAME = r"\w+/[\w/]+\.py:\d+ in \w+"  # as an exception's message ends
_LINE = r'^  File "[^"]*?(tests/\w+)/{file}", line (\d+)|^asked in line (\d+)'


def explanation(grade: Grade, exercise: str = "") -> Iterator[Text]:
    """Lines on one exercise and all its checks; or on each, and the checks that cost points."""
    scores = {score.id: score for score in grade.exercises}
    failed = causes_of(grade.checks)
    if not exercise:
        total = "no score" if grade.score is None else points(grade.score)
        yield Text(f"{clean(grade.submission)}: {total} of {points(grade.max_score)}\n")
    for module in grade.modules:
        if not module.ok:
            where = f"{module.file}:{module.line}" if module.line else module.file
            yield Text(f"{clean(module.module)}.py could not be imported  {clean(where)}")
            yield from (Text(f"    {line}") for line in clean(module.message).split("\n"))
    for score in grade.exercises:
        if exercise not in ("", score.id):
            continue
        own = [check for check in grade.checks if check.exercise == score.id]
        checks = list(enumerate(own, 1))
        earned = f"{points(score.points)} of {points(score.max_points)}"
        if not exercise:
            checks = [(n, check) for n, check in checks if check.points < check.max_points]
            causes = {check.cause for _, check in checks}
            if len(causes) == 1 and (words := _SAID_ONCE.get(causes.pop())):
                earned, checks = f"{earned}, {words}", []
        earned = earned if score.core else f"further: {earned}"
        yield Text.assemble((score.id, "bold"), f"  {earned}  {clean(score.title)}")
        if (
            checks
            and score.points < score.max_points
            and (found := roots_of(score, scores, failed))
        ):
            are = "is" if len(found) == 1 else "are"
            yield Text(f"      may build on {', '.join(found)}, which {are} not right", style="dim")
        for number, check in checks:
            yield from _lines_on(number, check)
    origin = grade.provenance
    made_by = f", by the grader of tree {origin.tree[:SHORT]}" if origin else ""
    yield Text(f"\nThe same again: grader grade SUBMISSION --nonce {grade.nonce}{made_by}")


def _lines_on(number: int, check: Check) -> Iterator[Text]:
    """A check's points; if it did not pass, why, where, and what was expected and came."""
    of = f"{points(check.points)} of {points(check.max_points)}" if check.max_points else "public"
    mark = (MARKS[check.state], STATE_STYLE[check.state])
    yield Text.assemble("  ", mark, f" {of:>12}  {number}. {clean(check.title)}")
    if check.state != "passed":
        words = check.cause.words if check.cause else ""
        named = f" ({check.exception})" if check.exception else ""
        if check.waits_for:
            other = f"check {check.waits_for}"
            if check.cause is Cause.NEEDS_WORK:
                words = f"Passed, but open until {other} passes. {words}"
            else:
                words = f"Open: perhaps only {other}'s mistake. {words}"
        yield Text(f"      {words}{named}  {place(check)}", style="dim")
        said = clean(check.shown or "") or reason(check.detail or "")
        yield from (Text(f"        {line}") for line in said.split("\n") if line)


def place(check: Check) -> str:
    """The test, and the line of its file at which it failed, if the record tells."""
    module, _, name = check.test.partition("::")
    found = re.findall(_LINE.replace("{file}", re.escape(f"{module}.py")), check.detail or "", re.M)
    folder = next((folder for folder, _, _ in found if folder), f"tests/{check.visibility}")
    lines = [line or asked for _, line, asked in found]
    if not lines:
        return f"{folder}/{module}.py::{name}"
    helper = f", in a helper at line {lines[-1]}" if lines[-1] != lines[0] else ""
    return f"{folder}/{module}.py:{lines[0]}{helper}"


def reason(detail: str) -> str:
    """What a test raised, with its notes; of the frames only the last in the submission's files."""
    lines = clean(detail, len(detail) + 1).split("\n")
    frames = [number for number, line in enumerate(lines) if line.startswith('  File "')]
    rest = lines[frames[-1] + 1 :] if frames else lines
    while rest and frames and rest[0].startswith("    "):  # the frame's code
        del rest[0]
    return "\n".join([*re.findall(_OWN_FRAME, detail)[:1], *rest]).strip("\n")
