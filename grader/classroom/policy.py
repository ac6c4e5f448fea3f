"""The late policy, and what staff decide by hand: pure functions of files that staff edit.

    deadlines.toml    due = 2026-10-02T23:59:00+02:00, grace_minutes, late_days, per_day, at_most,
                      and a table [extensions] of times by student
    times.csv         id,time,author,reason,date: when somebody handed in, if the export is silent
    overrides.csv     id,exercise,points,author,reason,date; without an exercise it is the total
    holds.csv         id,author,reason,date,released; a mark is held until `released` has a date
    matches.csv       name,id,author,reason,date: whose an entry of this name is, a line for each of
                      a group; an empty id takes back what is above it

They are in the class's folder, and the last line about a student counts. To take one back, remove
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from grader.classroom import tables
from grader.results import lateness
from grader.results.lateness import Deadlines


class PolicyError(Exception):
    """A file of the staff's cannot be read; the message says where and why."""


class Override(NamedTuple):
    """Points that staff gave by hand, for an exercise or in total."""

    points: float
    author: str
    reason: str


class Hold(NamedTuple):
    """A mark that is not to leave yet."""

    author: str
    reason: str


def read_deadlines(path: Path) -> Deadlines | None:
    """The late policy; None without the file. Raises PolicyError; all times must have a zone."""
    if not path.exists():
        return None
    found = lateness.read(path, PolicyError)
    if found.due is None:
        raise PolicyError(f"{path}: due is missing; write due = 2026-10-02T23:59:00+02:00")
    return found


def read_overrides(path: Path, known: Mapping[str, str] = {}) -> dict[tuple[str, str], Override]:
    """By student and exercise; {} without the file. Raises PolicyError."""
    found = {}
    for line, row in _rows(path, ("id", "exercise", "points", "author", "reason", "date"), known):
        try:
            points = float(row["points"])
        except ValueError:
            points = math.nan
        if not 0 <= points < math.inf:
            raise PolicyError(f"{path}:{line}: the points {row['points']!r} are no number from 0")
        found[row["id"], row["exercise"]] = Override(points, row["author"], row["reason"])
    return found


def read_holds(path: Path, known: Mapping[str, str] = {}) -> dict[str, Hold]:
    """Marks that are held now, by student; {} without the file. Raises PolicyError."""
    found: dict[str, Hold] = {}
    for line, row in _rows(path, ("id", "author", "reason", "date", "released"), known):
        if row["released"]:
            _check_date(path, line, "released", row["released"])
            found.pop(row["id"], None)
        else:
            found[row["id"]] = Hold(row["author"], row["reason"])
    return found


def read_times(path: Path, known: Mapping[str, str] = {}) -> dict[str, datetime]:
    """When students handed in, as staff know it; {} without the file. Raises PolicyError."""
    found = {}
    for line, row in _rows(path, ("id", "time", "author", "reason", "date"), known):
        try:
            when = datetime.fromisoformat(row["time"])
        except ValueError:
            when = None
        if when is None or when.tzinfo is None:
            raise PolicyError(
                f"{path}:{line}: the time {row['time']!r} is none; write 2026-10-02T23:59:00+02:00"
            )
        found[row["id"]] = when
    return found


def read_matches(path: Path, known: Mapping[str, str] = {}) -> dict[str, list[str]]:
    """By an entry's name the ids of its group, none for nobody's; {} without the file."""
    found: dict[str, list[str]] = {}
    for _, row in _rows(path, ("name", "id", "author", "reason", "date"), known):
        group = found.setdefault(row["name"], [])
        if not row["id"]:
            group.clear()
        elif row["id"] not in group:
            group.append(row["id"])
    return found


def _rows(
    path: Path, columns: tuple[str, ...], known: Mapping[str, str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Each line with its number; all must have just these columns, an author, a reason, a date.

    Who is known by another id is given that one.
    """
    if not path.exists():
        return
    header, *rows = tables.read(path, PolicyError) or [[]]
    expected = ",".join(columns)
    if [column.strip() for column in header] != list(columns):
        raise PolicyError(f"{path}:1: expected the columns {expected}, got {','.join(header)}")
    for line, cells in enumerate(rows, 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(columns):
            raise PolicyError(
                f"{path}:{line}: {len(cells)} cells for {expected}; a text with a comma needs "
                "quotation marks"
            )
        row = {key: cell.strip() for key, cell in zip(columns, cells, strict=True)}
        for key in (columns[0], "author", "reason", "date"):
            if not row[key]:
                raise PolicyError(f"{path}:{line}: {key} is missing")
        _check_date(path, line, "date", row["date"])
        row["id"] = known.get(row["id"], row["id"])
        yield line, row


def _check_date(path: Path, line: int, key: str, text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise PolicyError(f"{path}:{line}: {key} is {text!r}; write 2026-10-02") from None
