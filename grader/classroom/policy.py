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
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from grader.classroom import tables
from grader.results import lateness
from grader.results.lateness import Deadlines

K = TypeVar("K")
V = TypeVar("V")


class PolicyError(Exception):
    """A file of the staff's cannot be read; the message says where and why, a line for each."""


class _WrongLine(Exception):
    """What is wrong in one line."""


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


def read_overrides(path: Path, new_ids: Mapping[str, str] = {}) -> dict[tuple[str, str], Override]:
    """By student and exercise, "" for the whole mark; {} without the file. Raises PolicyError."""

    def take(row: dict[str, str], found: dict[tuple[str, str], Override]) -> None:
        try:
            points = float(row["points"])
        except ValueError:
            points = math.nan
        if not 0 <= points < math.inf:
            raise _WrongLine(f"the points {row['points']!r} are no number from 0")
        found[row["id"], row["exercise"]] = Override(points, row["author"], row["reason"])

    return _read(path, ("id", "exercise", "points", "author", "reason", "date"), new_ids, take)


def read_holds(path: Path, new_ids: Mapping[str, str] = {}) -> dict[str, Hold]:
    """Marks that are held now, by student; {} without the file. Raises PolicyError."""

    def take(row: dict[str, str], found: dict[str, Hold]) -> None:
        if row["released"]:
            _check_date("released", row["released"])
            found.pop(row["id"], None)
        else:
            found[row["id"]] = Hold(row["author"], row["reason"])

    return _read(path, ("id", "author", "reason", "date", "released"), new_ids, take)


def read_times(path: Path, new_ids: Mapping[str, str] = {}) -> dict[str, datetime]:
    """When students handed in, as staff know it; {} without the file. Raises PolicyError."""

    def take(row: dict[str, str], found: dict[str, datetime]) -> None:
        try:
            when = datetime.fromisoformat(row["time"])
        except ValueError:
            when = None
        if when is None or when.tzinfo is None:
            raise _WrongLine(f"the time {row['time']!r} is none; write 2026-10-02T23:59:00+02:00")
        found[row["id"]] = when

    return _read(path, ("id", "time", "author", "reason", "date"), new_ids, take)


def read_matches(path: Path, new_ids: Mapping[str, str] = {}) -> dict[str, list[str]]:
    """Who handed in the entry of a name: ids, or [] for nobody. {} without the file."""

    def take(row: dict[str, str], found: dict[str, list[str]]) -> None:
        group = found.setdefault(row["name"], [])
        if not row["id"]:
            group.clear()
        elif row["id"] not in group:
            group.append(row["id"])

    return _read(path, ("name", "id", "author", "reason", "date"), new_ids, take)


def _read(
    path: Path,
    columns: tuple[str, ...],
    new_ids: Mapping[str, str],
    take: Callable[[dict[str, str], dict[K, V]], None],
) -> dict[K, V]:
    """What `take` made of each line; all must have just these columns, an author, a reason, a date.

    `new_ids` has, for some ids in the file, the one to use: an alias, or whose alias it is.
    """
    found: dict[K, V] = {}
    if not path.exists():
        return found
    header, *rows = tables.read(path, PolicyError) or [[]]
    expected = ",".join(columns)
    if [column.strip() for column in header] != list(columns):
        raise PolicyError(f"{path}:1: expected the columns {expected}, got {','.join(header)}")
    wrong = []
    for line, cells in enumerate(rows, 2):
        try:
            if any(cell.strip() for cell in cells):
                take(_row(cells, columns, new_ids), found)
        except _WrongLine as why:
            wrong.append(f"{path}:{line}: {why}")
    if wrong:
        raise PolicyError("\n".join(wrong))
    return found


def _row(cells: list[str], columns: tuple[str, ...], new_ids: Mapping[str, str]) -> dict[str, str]:
    """A line by column; raises _WrongLine."""
    if len(cells) != len(columns):
        raise _WrongLine(
            f"{len(cells)} cells for {','.join(columns)}; a text with a comma needs quotation marks"
        )
    row = {key: cell.strip() for key, cell in zip(columns, cells, strict=True)}
    for key in (columns[0], "author", "reason", "date"):
        if not row[key]:
            raise _WrongLine(f"{key} is missing")
    _check_date("date", row["date"])
    return row | {"id": new_ids.get(row["id"], row["id"])}


def _check_date(key: str, text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise _WrongLine(f"{key} is {text!r}; write 2026-10-02") from None
