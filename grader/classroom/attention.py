"""`attention.md`: what needs a person, most urgent first, each with the command to look at it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from grader.classroom.marks import PUBLISHED, SAME, Row
from grader.classroom.overview import CheckView
from grader.classroom.roster import Class
from grader.results.text import clean, plural

# What stands first in a row's reason, from the most urgent on.
_URGENCY = ("fault", "not graded", "refused", "0 points", "cannot be imported", PUBLISHED, "late")


def text(
    class_: Class,
    rows: Sequence[Row],
    marks: Path,
    strangers: Collection[str] = (),
    suspects: Sequence[CheckView] = (),
) -> str:
    """The page; it says so if nothing needs a person.

    `strangers` are students of whom the folder has something, and who are in no list now;
    `suspects` are checks that nearly all fail.
    """
    nobodys = [f"- {_code(path.name)}: {_plain(why)}" for path, why in class_.unmatched]
    if nobodys:
        nobodys += [
            "",
            f"Correct the roster, or decide in {_plain(str(marks))}/matches.csv "
            "(name,id,author,reason,date; an empty id for nobody's). Then run the same command.",
        ]
    groups = dict.fromkeys(why for row in rows for why in row.attention if why.startswith(SAME))
    reasons = [(row, why) for row in rows for why in row.attention if why not in groups]
    reasons.sort(key=lambda reason: (_urgency(reason[1]), reason[0].student.id))
    students = []
    for row, why in reasons:
        name = f" ({_plain(row.student.name)})" if row.student.name else ""
        students.append(f"- **{_plain(row.student.id)}**{name}: {_plain(why)}")
    if students:
        students += ["", f"Look at one: `grader report {marks} ID`"]
    sections = {
        "Handed in by nobody for sure": nobodys,
        "Checks that nearly all fail who started: is the test at fault?": [
            f"- {one.failed} of {one.judged}: {_code(one.test)}, {_plain(one.title)}"
            for one in suspects
        ],
        "Students": students,
        "Decided": [f"- {_plain(r.student.id)}: {_plain(why)}" for r in rows for why in r.settled],
        "The same files": [f"- {_plain(why.removeprefix(SAME))}" for why in groups],
    }
    for title, ids in {
        "in the folder of marks, but not in this class": sorted(strangers),
        "without a time, so not charged for lateness": [r.student.id for r in rows if r.untimed],
        "with an untouched handout": [r.student.id for r in rows if _is_untouched(r)],
        "without anything handed in": [
            r.student.id for r in rows if r.status == "missing" and r.final is None
        ],
    }.items():
        listed = [", ".join(map(_plain, ids))] if ids else []
        sections[f"{plural(len(ids), 'student')} {title}"] = listed
    lines = ["# What needs a person", ""]
    for title, inside in sections.items():
        lines += [f"## {title}", "", *inside, ""] if inside else []
    if not any(sections.values()):
        lines += ["Nothing.", ""]
    return "\n".join(lines)


def _is_untouched(row: Row) -> bool:
    return row.grade is not None and not row.started and not row.score


def _code(name: str) -> str:
    """A name as it can be copied into a file of the staff's."""
    name = " ".join(clean(name, 1000).split())
    return _plain(name) if "`" in name else f"`{name}`"


def _plain(text: str) -> str:
    """Text of a student's as Markdown shows it: no link, no picture, no HTML."""
    text = " ".join(clean(text, 1000).split())
    inside = r"(?<=[^\W_])_(?=[^\W_])"  # emphasizes nothing
    return re.sub(rf"(?!{inside})([\\`*_~\[\]<>!&#|]|(?<=:)/|(?<=www)\.)", r"\\\1", text)


def _urgency(why: str) -> int:
    ranks = (rank for rank, start in enumerate(_URGENCY) if why.startswith(start))
    return next(ranks, len(_URGENCY))
