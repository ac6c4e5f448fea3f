"""Aliases: who reads the class's folder need not know whose work it is.

Whoever may know keeps a CSV file `id,alias` elsewhere. Staff may write either in their files.
"""

from __future__ import annotations

import fcntl
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from grader.classroom import tables
from grader.classroom.roster import Class, RosterError, Student
from grader.results.write import write_atomically

T = TypeVar("T")
COLUMNS = ("id", "alias")


def aliases(path: Path, students: Iterable[str]) -> dict[str, str]:
    """The alias of each student, by id; new students get one, which is added to the file.

    Raises:
        RosterError: the file cannot be read, or names somebody twice.
    """
    students = set(students)
    if students <= (known := _read(path)).keys():
        return known
    try:
        with _locked(path):
            return _extended(path, students)
    except OSError as error:
        raise RosterError(f"{path} cannot be written: {error}") from error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Machines that grade parts of a class begin together, and must agree on new aliases."""
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _read(path: Path) -> dict[str, str]:
    """The file's aliases by id; none if there is no file."""
    lines = tables.read(path, RosterError) if path.exists() else [list(COLUMNS)]
    header, *lines = [line for line in lines if line] or [[]]
    known = {line[0]: line[1] for line in lines if len(line) == len(COLUMNS)}
    if header != list(COLUMNS) or len(known) != len(lines) or len(set(known.values())) < len(known):
        raise RosterError(f"{path}: expected the columns id,alias and each student and alias once")
    return known


def _extended(path: Path, students: set[str]) -> dict[str, str]:
    """All aliases, after the file got one for each of these students who had none."""
    known = _read(path)
    missing = sorted(students - known.keys())
    for student in missing:
        while (alias := f"student-{secrets.randbelow(10**6):06}") in {*known.values(), *students}:
            pass
        known[student] = alias
    if missing:
        rows = (dict(zip(COLUMNS, line, strict=True)) for line in sorted(known.items()))
        write_atomically(path, tables.to_csv(COLUMNS, rows))
    return known


def id_of_alias(path: Path | None) -> dict[str, str]:
    """The id of the student of each alias; raises RosterError."""
    return {} if path is None else {alias: student for student, alias in _read(path).items()}


def hide(class_: Class, alias_of: Mapping[str, str]) -> Class:
    """The class with aliases for ids, and without names or earlier hand-ins."""
    students = (Student(alias_of[one.id], keys=one.keys) for one in class_.students.values())
    return Class(
        {student.id: student for student in students},
        renamed(class_.counted, alias_of),
        [(path, "whose it is, nobody knows for sure") for path, _ in class_.unmatched],
    )


def renamed(by_student: Mapping[str, T], alias_of: Mapping[str, str]) -> dict[str, T]:
    """The same by alias; whoever has none keeps the id."""
    return {alias_of.get(student, student): value for student, value in by_student.items()}
