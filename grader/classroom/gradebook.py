"""A platform's own gradebook with the marks filled in: Canvas's export, Moodle's grading worksheet.

Both import the file that they exported. So every column stays, and a row gets its mark only if one
student of the roster has one of its identifiers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.marks import Row

# Columns that identify a student, the surest first.
_KEYS = ("ID", "SIS User ID", "SIS Login ID", "Identifier", "Email address")
_MOODLES = "Grade"


class GradebookError(Exception):
    """The gradebook cannot be filled in; the message says why."""


def filled(gradebook: Path, column: str | None, rows: Sequence[Row]) -> tuple[bytes, list[str]]:
    """The gradebook's bytes with each mark that is not held, and the ids that no row has.

    Args:
        gradebook: the file that the platform exported.
        column: the assignment's; for Moodle `Grade` if None.
        rows: the class's.

    Raises:
        GradebookError: it cannot be read, or has no such column.
    """
    try:
        with gradebook.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise GradebookError(f"{gradebook} cannot be read: {error}") from error
    header = lines[0] if lines else []
    column = column or _MOODLES
    if column not in header:
        raise GradebookError(
            f"{gradebook} has no column {column!r}; --column names one of: {', '.join(header)}"
        )
    place, places = header.index(column), [header.index(key) for key in _KEYS if key in header]
    marks = {row.student.id: row for row in rows if row.final is not None and not row.is_held}
    owners: dict[str, set[str]] = {}
    for row in marks.values():
        for key in row.student.keys:
            owners.setdefault(key, set()).add(row.student.id)
    left = set(marks)
    for line in lines[1:]:
        cells = [line[i].strip().lower() for i in places if i < len(line)]
        found = next((owners[cell] for cell in cells if cell in owners), set())
        if len(found) == 1 and place < len(line):
            (student,) = found
            line[place] = f"{marks[student].final:g}"
            left.discard(student)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode("utf-8"), sorted(left)
