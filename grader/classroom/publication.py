"""What leaves the machine: the reports of students, and the marks for a platform; nothing else.

Hidden tests of a run may show in what it publishes. So nothing of a run is published before its
end, and its nonce is used for no other files: what a student learns of it then opens nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from grader.classroom.folder import end_run
from grader.classroom.marks import Row
from grader.classroom.roster import Class
from grader.classroom.tables import to_csv
from grader.results.gradescope import to_gradescope
from grader.results.html import to_html
from grader.results.write import write_atomically

MARKS, FEEDBACK = "marks.csv", "feedback.zip"
_REPORT = "report.html"
_FILES = (_REPORT, "results.json")
_FINAL = ("graded", "refused", "missing")


class NotReady(Exception):
    """Something is not decided yet, so nothing may leave; the message says what to do."""


def check(class_: Class, rows: Sequence[Row], marks: Path, new: Sequence[str]) -> None:
    """Raises NotReady unless all that was handed in has a mark, was refused, or is held.

    Also if the tables show something `new` of students: staff must have looked at it before.
    """
    if class_.unmatched:
        names = ", ".join(path.name for path, _ in class_.unmatched)
        raise NotReady(f"nobody knows whose it is: {names}; attention.md says what to do")
    undecided = [
        row.student.id
        for row in rows
        if row.status not in _FINAL and row.final is None and not row.is_held
    ]
    if undecided:
        raise NotReady(
            f"not graded, so nothing is published: {', '.join(undecided)}; run the command again, "
            "or decide in overrides.csv or holds.csv"
        )
    if new:
        names = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if new[5:] else "")
        raise NotReady(
            f"not published, since the tables show something new of {names}: "
            f"look at {marks}/marks.csv and attention.md, then run the same command"
        )


def overlap(one: Path, other: Path) -> bool:
    """Whether one of two folders is in the other, or both are the same."""
    a, b = one.resolve(), other.resolve()
    return a.is_relative_to(b) or b.is_relative_to(a)


def publish(rows: Sequence[Row], marks: Path, target: Path) -> dict[str, list[str]]:
    """Writes `ID/report.html` and `ID/results.json` for each mark that is not held, and marks.csv.

    Removes what an earlier publication wrote of students who are held now or have no grade.

    Returns:
        By what became of the students, in words, their ids.
    """
    became: dict[str, list[str]] = {}
    end_run(marks)
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    lines: list[dict[str, object]] = []
    for row in rows:
        place = target / row.student.id
        if row.is_held or row.grade is None:
            for name in _FILES:
                (place / name).unlink(missing_ok=True)
            with suppress(OSError):  # there is none, or somebody's own file is in it
                place.rmdir()
        if not row.publishable:
            became.setdefault("held" if row.is_held else row.status, []).append(row.student.id)
            continue
        what = "with a page" if row.grade else "with a mark alone"
        became.setdefault(what, []).append(row.student.id)
        lines.append({"id": row.student.id, "points": row.final})
        if row.grade is not None:
            place.mkdir(exist_ok=True)
            grade = msgspec.structs.replace(
                row.grade,
                submission=row.student.name or row.student.id,
                max_score=row.max_score or row.grade.max_score,
            )
            page = to_html(grade, row.explanation, row.final)
            write_atomically(place / _REPORT, page.encode(), 0o644)
            results = to_gradescope(grade, row.explanation, row.final)
            write_atomically(place / "results.json", results, 0o644)
    write_atomically(target / MARKS, to_csv(("id", "points"), lines), 0o644)
    return became


def pack(rows: Sequence[Row], target: Path) -> list[str]:
    """Writes feedback.zip, of published pages, as Canvas or Moodle takes it; none if neither does.

    The platform gives a group one page, so its members must have the same mark, explained alike.

    Returns:
        The students whose page is not in it, though others' are.
    """
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row.page].append(row)
    alone = by_name.pop("", [])
    without = [row.student.id for row in alone if row.publishable and row.grade is not None]
    unfinished = target / f".{FEEDBACK}"
    (target / FEEDBACK).unlink(missing_ok=True)
    if not by_name:
        return []
    with ZipFile(unfinished, "w", ZIP_DEFLATED) as file:
        for name, group in by_name.items():
            page = target / group[0].student.id / _REPORT
            if len({(row.publishable, row.final, row.explanation) for row in group}) > 1:
                without += [row.student.id for row in group]
            elif page.exists():
                file.write(page, name)
    unfinished.replace(target / FEEDBACK)
    return without
