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
_MOODLE_COLUMN = "Grade"


class GradebookError(Exception):
    """The gradebook cannot be filled in; the message says why."""


@dataclass(frozen=True)
class Gradebook:
    """A platform's exported file."""

    name: str
    lines: list[list[str]]
    mark: int  # the column of marks
    keys: dict[int, tuple[str, ...]]  # columns that identify a student, with the roster's

    def filled(self, rows: Sequence[Row]) -> tuple[bytes, list[str]]:
        """The file with all marks that may be published, and the ids of those in no line of it."""
        left = {row.student.id for row in rows if row.publishable}
        for line in self.lines[1:]:
            cells = {
                (column, normal(line[place]).removeprefix("participant "))
                for place, columns in self.keys.items()
                if place < len(line)
                for column in columns
            }
            found = [row for row in rows if cells & row.student.keys.items()]
            if len(found) == 1 and self.mark < len(line):
                row = found[0]
                # An empty cell takes back a mark that was published earlier.
                line[self.mark] = "" if row.is_held or row.final is None else f"{row.final:g}"
                left.discard(row.student.id)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.lines)
        return text.getvalue().encode("utf-8"), sorted(left)


def read(path: Path, column: str | None) -> Gradebook:
    """Reads what a platform exported.

    Args:
        path: the file.
        column: the assignment's; for Moodle `Grade` if None.

    Raises:
        GradebookError: it cannot be read, or lacks the column, or any that identifies a student.
    """
    lines = tables.read(path, GradebookError)
    header = lines[0] if lines else []
    column = column or _MOODLE_COLUMN
    if column not in header:
        raise GradebookError(
            f"{path} has no column {column!r}; Canvas's needs --column, with one of: "
            f"{', '.join(header)}"
        )
    keys = {header.index(key): columns for key, columns in _KEYS.items() if key in header}
    if not keys:
        raise GradebookError(f"{path} has none of the columns {', '.join(_KEYS)}")
    return Gradebook(path.name, lines, header.index(column), keys)
