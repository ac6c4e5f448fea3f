"""Who handed in what: a folder or a platform's export, matched with the roster and never guessed.

An export is recognized by its own names: Gradescope's `submission_metadata.yml`, the files of
Canvas's bulk download, the folders of Moodle's. Any other entry is one student's, and its name
without the suffix is the student's id. What is nobody's for sure is left for a person, who may
decide in `matches.csv`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from grader.classroom import tables
from grader.intake.entries import ARCHIVE_SUFFIXES

_METADATA = "submission_metadata.yml"
# Columns of the roster that identify a student where an entry has no platform's name, and on each.
_OWN, _CANVAS, _MOODLE = ("id", "email", "login"), ("canvas_id",), ("moodle_id",)
_SID, _EMAIL = ("id", "sid"), ("email",)
COLUMNS = tuple(dict.fromkeys((*_OWN, *_CANVAS, *_MOODLE, *_SID)))
# `lastfirst_LATE_USER_NUMBER_file.zip`. A student may choose a name with numbers in it.
_CANVAS_NUMBERS = re.compile(r"(?=_(?P<late>LATE_)?(?P<user>\d+)_(?P<file>\d+)_)")
# `First Last_NUMBER_assignsubmission_file_name.zip`: of the file's name the same holds.
_MOODLE_NUMBERS = re.compile(r"(?<=.)(?=_(?P<id>\d+)_assignsubmission_file(?:_|$))")
_MAX_ID = 200  # bytes


class RosterError(Exception):
    """The roster, or a file of an export, cannot be read; the message says where and why."""


@dataclass(frozen=True)
class Student:
    """One line of the roster."""

    id: str  # the folder's name in the marks
    name: str = ""  # identifies nobody: on some platforms students choose it
    keys: Mapping[str, str] = field(default_factory=dict)  # that do, in lower case, by column


class Member(NamedTuple):
    """Who handed something in: each text that identifies them, with the columns to look in."""

    keys: tuple[tuple[str, tuple[str, ...]], ...]
    name: str = ""


@dataclass(frozen=True)
class HandIn:
    """One thing that was handed in."""

    path: Path  # a folder or an archive
    members: tuple[Member, ...]  # of the group
    when: datetime | None = None  # None if the export does not say
    late: bool = False  # as the platform itself says
    page: str = ""  # the name by which the platform knows whose a page is, if it takes pages back


@dataclass
class Class:
    """The students, by id; what counts of what they handed in, and what is left for a person."""

    students: dict[str, Student]
    counted: dict[str, HandIn] = field(default_factory=dict)  # members of a group have the same
    unmatched: list[tuple[Path, str]] = field(default_factory=list)  # nobody's for sure, and why
    earlier: dict[str, list[HandIn]] = field(default_factory=dict)  # what does not count
    undecided: set[str] = field(default_factory=set)  # of several things any may be their last


def normal(text: str) -> str:
    """A key as it is compared: file systems and spreadsheets write letters in different ways."""
    return unicodedata.normalize("NFC", text).strip().lower()


def read_roster(path: Path) -> dict[str, Student]:
    """The students of a CSV file with the columns `id` and, if wanted, `name`.

    Further columns identify students on a platform: `email`, `login`, `sid`, `canvas_id`,
    `moodle_id`. Others are not read.

    Raises:
        RosterError: it cannot be read, lacks the column, or has an id that is no folder's name, or
            one twice.
    """
    first, *rows = tables.read(path, RosterError) or [[]]
    header = [normal(column) for column in first]
    if "id" not in header:
        raise RosterError(
            f"{path} has no column id; its first line names columns, with commas: {header}"
        )
    students: dict[str, Student] = {}
    for line, row in enumerate(rows, 2):
        cells = {key: text.strip() for key, text in zip(header, row, strict=False)}
        if not any(cells.values()):
            continue
        student = cells.get("id", "")
        if why := _why_not_an_id(student):
            raise RosterError(f"{path}:{line}: the id {student!r} {why}")
        if student in students:
            raise RosterError(f"{path}:{line}: the id {student!r} is there twice")
        keys = {column: normal(cells[column]) for column in COLUMNS if cells.get(column)}
        if "moodle_id" in keys:
            keys["moodle_id"] = keys["moodle_id"].removeprefix("participant ")
        students[student] = Student(student, cells.get("name", ""), keys)
    if not students:
        raise RosterError(f"{path} has no students; expected a line for each below the columns")
    return students


def _why_not_an_id(text: str) -> str:
    """Why a text cannot be the id of a student; "" if it can."""
    if not text:
        return "is empty"
    if not text.isprintable() or len(text.encode()) > _MAX_ID or text[0] in ".-+=@" or "/" in text:
        return f"cannot be a folder's name; at most {_MAX_ID} bytes, no / and no .-+=@ at the start"
    return ""


def handed_in(folder: Path, roster: Mapping[str, Student] | None = None) -> list[HandIn]:
    """Everything that was handed in, in an order that does not depend on the machine.

    Raises:
        RosterError: the folder, or the export's own file, cannot be read.
    """
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise RosterError(f"{folder} cannot be read: {error}") from error
    if (folder / _METADATA).is_file():
        named = list(_of_gradescope(folder / _METADATA))
        rest = {path.name for path in entries} - {one.path.name for one in named} - {_METADATA}
        return named + [_plain(folder / name) for name in sorted(rest)]
    users = {s.keys["canvas_id"] for s in (roster or {}).values() if "canvas_id" in s.keys}
    for parse in (lambda path: _of_canvas(path, users), _of_moodle):
        found = [parse(path) for path in entries]
        # A TA's file, or a kind of entry that nobody thought of, must not hide the platform.
        if entries and 2 * sum(one is not None for one in found) >= len(entries):
            return [one or _plain(path) for one, path in zip(found, entries, strict=True)]
    return [_plain(path) for path in entries]


def _plain(path: Path) -> HandIn:
    return HandIn(path, (Member(((_stem(path), _OWN),)),))


def _of_gradescope(metadata: Path) -> Iterator[HandIn]:
    """What was handed in by "Export submissions"; raises RosterError."""
    try:
        found = msgspec.yaml.decode(metadata.read_bytes())
        for name, about in found.items():
            yield _gradescope_submission(metadata.parent / name, about)
    except (OSError, ImportError, AttributeError, TypeError, KeyError, ValueError) as error:
        raise RosterError(f"{metadata} cannot be read as Gradescope's export: {error!r}") from error


def _gradescope_submission(path: Path, about: dict[str, Any]) -> HandIn:
    columns = {":sid": _SID, ":email": _EMAIL}
    members = tuple(
        Member(
            tuple((str(person[key]), columns[key]) for key in columns if person.get(key)),
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


def _of_canvas(path: Path, users: set[str]) -> HandIn | None:
    """An entry of Canvas's bulk download; None if it is not named like one.

    Of several pairs of numbers in a name those count whose user is one of `users`, the roster's.
    """
    found = list(_CANVAS_NUMBERS.finditer(path.name))
    if users and len(found) > 1:
        found = [match for match in found if match["user"] in users] or found
    if not found:
        return None
    keys = tuple((match["user"], _CANVAS) for match in found)
    numbers = {(match["user"], match["file"]) for match in found}
    # Canvas looks for the first two numbers between underscores.
    page = "feedback_{}_{}_report.html".format(*min(numbers)) if len(numbers) == 1 else ""
    return HandIn(path, (Member(keys),), late=bool(found[0]["late"]), page=page)


def _of_moodle(path: Path) -> HandIn | None:
    """An entry of Moodle's bulk download; None if it is not named like one."""
    found = list(_MOODLE_NUMBERS.finditer(path.name))
    if not found:
        return None
    keys = tuple((match["id"], _MOODLE) for match in found)
    member = Member(keys, path.name[: found[0].start()])
    page = f"feedback_{found[0]['id']}_assignsubmission_file_/report.html"
    return HandIn(path, (member,), page=page if len(found) == 1 else "")


def _stem(path: Path) -> str:
    """The name without the suffixes of archives."""
    name = path.name
    while not path.is_dir() and name.lower().endswith(ARCHIVE_SUFFIXES):
        name = name.rpartition(".")[0]
    return name


def match(
    handed: Iterable[HandIn],
    roster: Mapping[str, Student] | None,
    decided: Mapping[str, Collection[str]] = {},
) -> Class:
    """Gives each student what they handed in last; without a roster, whoever did is a student.

    `decided` has the ids of those who handed in the entry of a name, as staff decided.
    """
    class_ = Class(dict(roster or {}))
    owners: dict[str, list[HandIn]] = {}
    for one in handed:
        name = one.path.name
        if name in decided:
            for who in decided[name]:
                if roster is None:
                    if why := _why_not_an_id(who):
                        raise RosterError(f"matches.csv: the id {who!r} {why}")
                    class_.students.setdefault(who, Student(who))
                owners.setdefault(who, []).append(one)
            continue
        if not one.members:
            class_.unmatched.append((one.path, "the export names no student"))
        for member in one.members:
            if not one.path.is_dir() and not name.lower().endswith(ARCHIVE_SUFFIXES):
                why = "is neither a folder nor an archive"
            elif roster is None:
                who, why = _as_student(member, class_.students)
            else:
                who, why = _on_roster(member, roster.values())
            if why:
                class_.unmatched.append((one.path, why))
            elif one not in owners.setdefault(who, []):  # two addresses of one student
                owners[who].append(one)
    for who, several in owners.items():
        chosen = [one for one in several if who in decided.get(one.path.name, ())]
        last, why = _last_hand_in(chosen or several)
        if last is None:
            class_.undecided.add(who)
            class_.unmatched += [(one.path, f"{who}: {why}") for one in several]
        else:
            class_.counted[who] = last
            class_.earlier[who] = [one for one in several if one is not last]
    class_.unmatched = [(path, _but_counts(path, why, class_)) for path, why in class_.unmatched]
    return class_


def _but_counts(path: Path, why: str, class_: Class) -> str:
    """Why an entry is nobody's for sure, and for whom it counts all the same."""
    members = ", ".join(who for who, one in class_.counted.items() if one.path == path)
    if not members:
        return why
    return f"{why}; it counts for {members}: name these in matches.csv, a line each"


def _as_student(member: Member, students: dict[str, Student]) -> tuple[str, str]:
    """The id that the key itself is, and "", after it was added; else "", and why it is none."""
    if len({key for key, _ in member.keys}) > 1 and member.keys[0][1] in (_CANVAS, _MOODLE):
        return "", "its name has several numbers; only a roster can tell whose it is"
    who = member.keys[0][0] if member.keys else ""
    if why := _why_not_an_id(who):
        return "", f"its name {who!r} {why}"
    students.setdefault(who, Student(who, member.name))
    return who, ""


def _on_roster(member: Member, students: Iterable[Student]) -> tuple[str, str]:
    """The id of the one student who has any of the keys, and ""; else "", and why nobody is."""
    looked = {(column, normal(key)) for key, columns in member.keys for column in columns}
    found = sorted(student.id for student in students if looked & student.keys.items())
    if len(found) == 1:
        return found[0], ""
    texts = ", ".join(f"{key!r} as {' or '.join(columns)}" for key, columns in member.keys)
    if found:
        return "", f"several lines of the roster have {texts}: {', '.join(found)}"
    return "", f"no line of the roster has {texts or 'a key'}"


def _last_hand_in(several: Sequence[HandIn]) -> tuple[HandIn | None, str]:
    """What was handed in last, or why that cannot be known."""
    times = {one.when for one in several}
    if len(several) == 1:
        return several[0], ""
    if None not in times and len(times) == len(several):
        return max(several, key=lambda one: one.when or datetime.min), ""
    names = ", ".join(sorted(one.path.name for one in several))
    return None, f"handed in {len(several)} times ({names}), and nothing says which is the last"
