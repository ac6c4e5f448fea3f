"""Who handed in what: a folder or a platform's export, matched with the roster and never guessed.

An export is recognized by its own names: Gradescope's `submission_metadata.yml`, the files of
Canvas's bulk download, the folders of Moodle's. In any other folder each entry is a student's, and
its name without the suffix is the student's id.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from grader.intake.entries import ARCHIVE_SUFFIXES

_METADATA = "submission_metadata.yml"
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<user>\d+)_(?P<number>\d+)_.+")
_MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file_?")
_MAX_ID = 100  # characters
_IDENTIFY = ("id", "email", "login")  # columns of the roster, and every one that ends in "_id"


class RosterError(Exception):
    """The roster, or a file of an export, cannot be read; the message says where and why."""


@dataclass(frozen=True)
class Student:
    """One line of the roster.

    Attributes:
        id: the folder's name in the marks.
        name: for people.
        keys: what identifies the student, in lower case. A name does not: on some platforms
            students choose it.
    """

    id: str
    name: str = ""
    keys: frozenset[str] = frozenset()


class Member(NamedTuple):
    """Who handed something in: what identifies them on the platform, the surest first."""

    keys: tuple[str, ...]
    name: str = ""


@dataclass(frozen=True)
class HandIn:
    """One thing that was handed in.

    Attributes:
        path: a folder or an archive.
        members: the students of the group.
        when: the time of handing in; None if the export does not say.
        order: orders several of one student, later ones last; with `when` None, too.
        late: what the platform itself says.
    """

    path: Path
    members: tuple[Member, ...]
    when: datetime | None = None
    order: int = 0
    late: bool = False


@dataclass
class Class:
    """The students, what counts of what they handed in, and what is left for a person.

    Attributes:
        students: by id.
        counted: by id; two members of a group have the same.
        unmatched: what belongs to nobody for sure, with the reason.
        earlier: what was handed in before what counts.
    """

    students: dict[str, Student]
    counted: dict[str, HandIn] = field(default_factory=dict)
    unmatched: list[tuple[Path, str]] = field(default_factory=list)
    earlier: dict[str, list[HandIn]] = field(default_factory=dict)


def read_roster(path: Path) -> dict[str, Student]:
    """The students of a CSV file with the columns `id` and, if wanted, `name`.

    Further columns identify students on a platform: `email`, `login`, `canvas_id` and others that
    end in `_id`.

    Raises:
        RosterError: it cannot be read, lacks the column, or has an id that is no folder's name, or
            one twice.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RosterError(f"{path} cannot be read: {error}") from error
    students: dict[str, Student] = {}
    for line, row in enumerate(rows, 2):
        cells = {key.strip().lower(): (text or "").strip() for key, text in row.items() if key}
        if not any(cells.values()):
            continue
        student = cells.get("id", "")
        if why := _why_no_id(student):
            raise RosterError(f"{path}:{line}: the id {student!r} {why}")
        if student in students:
            raise RosterError(f"{path}:{line}: the id {student!r} is there twice")
        keys = {cells[key] for key in cells if key in _IDENTIFY or key.endswith("_id")} - {""}
        lower = frozenset(key.lower() for key in keys)
        students[student] = Student(student, cells.get("name", ""), lower)
    if not students:
        raise RosterError(f"{path} has no students; expected a line of columns, one of them id")
    return students


def _why_no_id(text: str) -> str:
    """Why a text cannot be the id of a student; "" if it can."""
    if not text:
        return "is empty"
    if len(text) > _MAX_ID or text.startswith(".") or "/" in text or not text.isprintable():
        return f"cannot be a folder's name; at most {_MAX_ID} letters, no / and no dot at the start"
    return ""


def handed_in(folder: Path) -> list[HandIn]:
    """Everything that was handed in, in an order that does not depend on the machine.

    Raises:
        RosterError: the folder, or the export's own file, cannot be read.
    """
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise RosterError(f"{folder} cannot be read: {error}") from error
    if (folder / _METADATA).is_file():
        return list(_of_gradescope(folder / _METADATA))
    for pattern, form in ((_CANVAS, _of_canvas), (_MOODLE, _of_moodle)):
        matches = [pattern.fullmatch(path.name) for path in entries]
        if entries and all(matches):
            return [form(p, m) for p, m in zip(entries, matches, strict=True) if m]
    return [HandIn(path, (Member((_stem(path),)),)) for path in entries]


def _of_gradescope(metadata: Path) -> Iterator[HandIn]:
    """What was handed in by "Export submissions"; raises RosterError."""
    try:
        found = msgspec.yaml.decode(metadata.read_bytes())
        for name, about in found.items():
            yield _gradescope_submission(metadata.parent / name, about)
    except (OSError, ImportError, msgspec.DecodeError, AttributeError, TypeError, KeyError) as e:
        raise RosterError(f"{metadata} cannot be read as Gradescope's export: {e!r}") from e


def _gradescope_submission(path: Path, about: dict[str, Any]) -> HandIn:
    members = tuple(
        Member(
            tuple(str(person[key]) for key in (":sid", ":email") if person.get(key)),
            str(person.get(":name") or ""),
        )
        for person in about[":submitters"]
    )
    when = about.get(":created_at")
    if isinstance(when, str):
        when = datetime.fromisoformat(when)
    if when is not None and when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return HandIn(path, members, when)


def _of_canvas(path: Path, match: re.Match[str]) -> HandIn:
    order, late = int(match["number"]), bool(match["late"])
    return HandIn(path, (Member((match["user"],), match["name"]),), order=order, late=late)


def _of_moodle(path: Path, match: re.Match[str]) -> HandIn:
    return HandIn(path, (Member((f"Participant {match['id']}", match["id"]), match["name"]),))


def _stem(path: Path) -> str:
    """The name without the suffixes of archives."""
    name = path.name
    while not path.is_dir() and name.endswith(ARCHIVE_SUFFIXES):
        name = name.rpartition(".")[0]
    return name


def match(handed: Iterable[HandIn], roster: dict[str, Student] | None) -> Class:
    """Gives each student what they handed in last; without a roster, everybody who did is one."""
    found = Class(dict(roster or {}))
    by_key: dict[str, set[str]] = {}
    for student in found.students.values():
        for key in student.keys:
            by_key.setdefault(key, set()).add(student.id)
    owners: dict[str, list[HandIn]] = {}
    for one in handed:
        if not one.members:
            found.unmatched.append((one.path, "the export names no student"))
        for member in one.members:
            if not one.path.is_dir() and not one.path.name.endswith(ARCHIVE_SUFFIXES):
                why = "is neither a folder nor an archive; put a student's files into one folder"
            elif roster is None:
                who, why = _as_student(member, found.students)
            else:
                who, why = _known(member, by_key)
            if why:
                found.unmatched.append((one.path, why))
            else:
                owners.setdefault(who, []).append(one)
    for who, several in owners.items():
        last, why = _last(several)
        if last is None:
            found.unmatched += [(one.path, f"{who}: {why}") for one in several]
        else:
            found.counted[who] = last
            found.earlier[who] = [one for one in several if one is not last]
    return found


def _as_student(member: Member, students: dict[str, Student]) -> tuple[str, str]:
    """The id of the student who is called so, added if need be; or why nobody can be."""
    who = member.keys[0] if member.keys else ""
    if why := _why_no_id(who):
        return "", f"its name {who!r} {why}"
    students.setdefault(who, Student(who, member.name))
    return who, ""


def _known(member: Member, by_key: dict[str, set[str]]) -> tuple[str, str]:
    """The id of the roster's one student with one of these keys; or why nobody is."""
    for key in member.keys:
        students = by_key.get(key.strip().lower(), set())
        if len(students) == 1:
            return next(iter(students)), ""
        if students:
            return "", f"{key!r} is in several lines of the roster: {', '.join(sorted(students))}"
    return "", f"no line of the roster has {' or '.join(map(repr, member.keys)) or 'a key'}"


def _last(several: Sequence[HandIn]) -> tuple[HandIn | None, str]:
    """What was handed in last, or why that cannot be known."""
    if len(several) == 1:
        return several[0], ""
    times = [one.when for one in several]
    if all(times):
        return max(several, key=lambda one: one.when or datetime.min), ""
    if len({one.order for one in several}) == len(several):
        return max(several, key=lambda one: one.order), ""
    names = ", ".join(sorted(one.path.name for one in several))
    return None, f"handed in {len(several)} times ({names}), and nothing says which is the last"
