"""`attention.md`: what needs a person, most urgent first, each with the command to look at it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from grader.classroom.marks import Row
from grader.classroom.roster import Class
from grader.results.text import clean, plural

# What stands first in a row's reason, from the most urgent on.
_URGENCY = (
    *("fault", "not graded", "refused", "0 points", "cannot be imported", "held"),
    *("the same files", "late"),
)


def text(found: Class, rows: Sequence[Row], marks: Path, strangers: Collection[str] = ()) -> str:
    """The page; it says so if nothing needs a person.

    Args:
        found: the class.
        rows: its marks.
        marks: its folder.
        strangers: students of whom the folder has something, and who are in no list now.
    """
    lines = ["# What needs a person", ""]
    if found.unmatched:
        lines += ["## Handed in by nobody for sure", ""]
        lines += [f"- {_plain(path.name)}: {_plain(why)}" for path, why in found.unmatched]
        lines += [
            "",
            f"Correct the roster, or decide in {_plain(str(marks))}/matches.csv "
            "(name,id,author,reason,date; an empty id for nobody's). Then run the same command.",
            "",
        ]
    reasons = [(row, why) for row in rows for why in row.attention]
    reasons.sort(key=lambda reason: (_urgency(reason[1]), reason[0].student.id))
    if reasons:
        lines += ["## Students", ""]
        for row, why in reasons:
            name = f" ({_plain(row.student.name)})" if row.student.name else ""
            lines.append(f"- **{_plain(row.student.id)}**{name}: {_plain(why)}")
        lines += ["", f"Look at one: `grader report {marks} ID`", ""]
    for title, students in (
        ("in the folder of marks, but not in this class", sorted(strangers)),
        ("without a time, so not charged for lateness", [r.student.id for r in rows if r.untimed]),
        ("without anything handed in", [r.student.id for r in rows if r.status == "missing"]),
    ):
        if students:
            lines += [f"## {plural(len(students), 'student')} {title}", ""]
            lines += [", ".join(map(_plain, students)), ""]
    if len(lines) == 2:
        lines += ["Nothing.", ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text of a student's as Markdown shows it: no link, no picture, no HTML."""
    return re.sub(r"([\\`*_\[\]<>!&#|])", r"\\\1", " ".join(clean(text, 1000).split()))


def _urgency(why: str) -> int:
    ranks = (rank for rank, start in enumerate(_URGENCY) if why.startswith(start))
    return next(ranks, len(_URGENCY))
