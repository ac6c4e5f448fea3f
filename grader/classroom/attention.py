"""`attention.md`: what needs a person, most urgent first, each with the command to look at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.classroom.marks import Row
from grader.classroom.roster import Class
from grader.results.text import clean_name, plural

# What stands first in a row's reason, from the most urgent on.
_URGENCY = ("fault", "not graded", "refused", "0 points", "held", "the same files", "late")


def text(found: Class, rows: Sequence[Row], marks: Path) -> str:
    """The page; it says so if nothing needs a person."""
    lines = ["# What needs a person", ""]
    if found.unmatched:
        lines += ["## Handed in by nobody for sure", ""]
        lines += [f"- `{clean_name(str(path))}`: {why}" for path, why in found.unmatched]
        lines += ["", "Correct the roster or rename the file, then run the same command.", ""]
    reasons = sorted(_reasons(rows), key=lambda reason: (_urgency(reason[1]), reason[0].student.id))
    if reasons:
        lines += ["## Students", ""]
        for row, why in reasons:
            name = f" ({clean_name(row.student.name)})" if row.student.name else ""
            lines.append(f"- **{row.student.id}**{name}: {clean_name(why)}")
        lines += ["", f"Look at one: `grader report {marks} ID`", ""]
    missing = [row.student.id for row in rows if row.status == "missing"]
    if missing:
        lines += [f"## {plural(len(missing), 'student')} handed nothing in", ""]
        lines += [", ".join(missing), ""]
    if len(lines) == 2:
        lines += ["Nothing.", ""]
    return "\n".join(lines)


def _reasons(rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    for row in rows:
        for why in row.attention:
            yield row, why


def _urgency(why: str) -> int:
    ranks = (rank for rank, start in enumerate(_URGENCY) if why.startswith(start))
    return next(ranks, len(_URGENCY))
