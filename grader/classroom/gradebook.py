"""A platform's own gradebook with the marks filled in: Canvas's export, Moodle's grading worksheet.

Both import the file that they exported. So every column stays, and a row gets a mark only if each
of its identifiers that the roster knows is the same student's.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom import tables
from grader.classroom.marks import Row
from grader.classroom.roster import normal

# Columns that identify a student, with the roster's.
_KEYS = {
    "ID": ("canvas_id",),
    "SIS User ID": ("sid", "id"),
    "SIS Login ID": ("login", "id", "email"),
    "Identifier": ("moodle_id",),
    "Email address": ("email",),
}
_MOODLES = "Grade"


class GradebookError(Exception):
    """The gradebook cannot be filled in; the message says why."""


@dataclass(frozen=True)
class Gradebook:
    """A gradebook: its lines, and where in them the mark and the identifiers are."""

    name: str
    lines: list[list[str]]
    mark: int
    keys: dict[int, tuple[str, ...]]

    def filled(self, rows: Sequence[Row]) -> tuple[bytes, list[str]]:
        """The file with each mark that is not held, and the ids of those who are in no line."""
        marks = {row.student.id: row for row in rows if row.final is not None and not row.is_held}
        left = set(marks)
        for line in self.lines[1:]:
            cells = {
                (column, normal(line[place]).removeprefix("participant "))
                for place, columns in self.keys.items()
                if place < len(line)
                for column in columns
            }
            found = [row for row in rows if cells & row.student.keys.items()]
            if len(found) != 1 or self.mark >= len(line):
                continue
            if found[0].is_held or found[0].final is None:  # what was published earlier goes
                line[self.mark] = ""
            else:
                line[self.mark] = f"{found[0].final:g}"
                left.discard(found[0].student.id)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.lines)
        return text.getvalue().encode("utf-8"), sorted(left)


def read(path: Path, column: str | None) -> Gradebook:
    """Reads what a platform exported.

    Args:
        path: the file.
        column: the assignment's; for Moodle `Grade` if None.

    Raises:
        GradebookError: it cannot be read, or lacks the column, or all that identify a student.
    """
    lines = tables.read(path, GradebookError)
    header = lines[0] if lines else []
    column = column or _MOODLES
    if column not in header:
        raise GradebookError(
            f"{path} has no column {column!r}; Canvas's needs --column, with one of: "
            f"{', '.join(header)}"
        )
    keys = {header.index(key): columns for key, columns in _KEYS.items() if key in header}
    if not keys:
        raise GradebookError(f"{path} has none of the columns {', '.join(_KEYS)}")
    return Gradebook(path.name, lines, header.index(column), keys)
