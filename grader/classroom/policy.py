"""The late policy, and what staff decide by hand: pure functions of data that staff edit.

deadlines.toml    due = 2026-10-02T23:59:00+02:00, grace_minutes, late_days, per_day, at_most,
                  and a table [extensions] of times by student
overrides.csv     id,exercise,points,author,reason,date; without an exercise it is the total.
                  The last line of a student and exercise counts
holds.csv         id,author,reason,date,released; a mark is held until `released` has a date
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

_DAY = 24 * 60 * 60.0


class PolicyError(Exception):
    """A file of the staff's cannot be read; the message says where and why."""


class Deadlines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to hand in, and what lateness costs.

    Attributes:
        due: the time, with its zone.
        grace_minutes: for which nobody is late.
        late_days: days that cost nothing, for each student.
        per_day: the share of the score that each further day costs, a day that has begun is whole.
        at_most: the most that lateness costs.
        extensions: other times by student.
    """

    due: datetime
    grace_minutes: float = 0.0
    late_days: int = 0
    per_day: float = 0.0
    at_most: float = 1.0
    extensions: dict[str, datetime] = {}

    def days_late(self, student: str, when: datetime) -> int:
        """The days after the student's own due time that have begun; 0 within the grace."""
        late = (when - self.extensions.get(student, self.due)).total_seconds()
        return 0 if late <= 60 * self.grace_minutes else math.ceil(late / _DAY)

    def penalty(self, days: int) -> float:
        """The share of the score that so many days cost."""
        return min(self.at_most, self.per_day * max(days - self.late_days, 0))


class Override(NamedTuple):
    """Points that staff gave by hand; without an exercise they are the total."""

    student: str
    exercise: str
    points: float
    author: str
    reason: str


class Hold(NamedTuple):
    """A mark that is not to leave yet."""

    student: str
    author: str
    reason: str


def read_deadlines(path: Path) -> Deadlines:
    """Raises PolicyError; all times must have a zone."""
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=Deadlines)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"{path} cannot be read: {error}") from error
    for what, when in [("due", found.due), *found.extensions.items()]:
        if when.tzinfo is None:
            raise PolicyError(f"{path}: {what} has no time zone; write {when.isoformat()}+00:00")
    if not (0 <= found.per_day <= 1 and 0 <= found.at_most <= 1):
        raise PolicyError(f"{path}: per_day and at_most are shares of the score, from 0 to 1")
    return found


def read_overrides(path: Path) -> dict[tuple[str, str], Override]:
    """By student and exercise; {} without the file. Raises PolicyError."""
    found = {}
    for line, row in _rows(path, ("id", "exercise", "points", "author", "reason", "date")):
        try:
            points = float(row["points"])
        except ValueError:
            points = math.nan
        if not 0 <= points < math.inf:
            raise PolicyError(f"{path}:{line}: the points {row['points']!r} are no number from 0")
        one = Override(row["id"], row["exercise"], points, row["author"], row["reason"])
        found[one.student, one.exercise] = one
    return found


def read_holds(path: Path) -> dict[str, Hold]:
    """Marks that are held now, by student; {} without the file. Raises PolicyError."""
    found: dict[str, Hold] = {}
    for _, row in _rows(path, ("id", "author", "reason", "date", "released")):
        if row["released"]:
            found.pop(row["id"], None)
        else:
            found[row["id"]] = Hold(row["id"], row["author"], row["reason"])
    return found


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each line with its number; each must name its author and a reason."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PolicyError(f"{path} cannot be read: {error}") from error
    for line, row in enumerate(rows, 2):
        cells = {key: (row.get(key) or "").strip() for key in columns}
        for key in ("id", "author", "reason", "date"):
            if not cells[key]:
                expected = ",".join(columns)
                raise PolicyError(f"{path}:{line}: {key} is missing; expected {expected}")
        yield line, cells
