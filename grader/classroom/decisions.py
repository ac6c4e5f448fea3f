"""What staff decided, and the class that they decided it of, which are read together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from assignment import manifest as manifests
from assignment.manifest import did_you_mean
from grader.classroom import aliases, policy, roster
from grader.classroom.policy import Hold, Override
from grader.results.lateness import Deadlines

T = TypeVar("T")
_MARK = "anonymous"  # a file in a folder of marks that has aliases


@dataclass(frozen=True)
class Decisions:
    """What staff decided."""

    deadlines: Deadlines | None = None
    overrides: Mapping[tuple[str, str], Override] = field(default_factory=dict)
    holds: Mapping[str, Hold] = field(default_factory=dict)
    times: Mapping[str, datetime] = field(default_factory=dict)


def _read_class(
    submissions: Path, students: Path | None, out: Path, owners: Mapping[str, str]
) -> roster.Class:
    """The class, with what staff decided in `matches.csv`."""
    listed = roster.read_roster(students) if students else None
    decided = policy.read_matches(out / "matches.csv", owners)
    handed = roster.handed_in(submissions, listed)
    found = roster.match(handed, listed, decided)
    for name in sorted(decided.keys() - {one.path.name for one in handed}):
        why = "is in matches.csv and not here: if it is gone, remove its line, else correct it"
        found.unmatched.append((submissions / name, why))
    if wrong := _strangers(out / "matches.csv", set().union(*decided.values()), found):
        raise policy.PolicyError("\n".join(wrong))
    return found


def read(
    submissions: Path, students: Path | None, out: Path, key: Path | None = None
) -> tuple[roster.Class, Decisions, dict[str, roster.Student]]:
    """The class, what staff decided, and the students; of aliases, if there is a file of them.

    Raises RosterError or PolicyError.
    """
    _check_folder(out, key)
    found = _read_class(submissions, students, out, aliases.owners(key))
    known, real = {}, found.students
    if key is not None:
        if key.resolve().is_relative_to(out.resolve()):
            raise roster.RosterError(f"{key} tells who is who: keep it outside {out}")
        known = aliases.aliases(key, found.students)
        real = {known[student.id]: student for student in found.students.values()}
        found = aliases.hide(found, known)
    wrong: list[str] = []  # of all files

    def tried(function: Callable[..., T], name: str, *others: Mapping[str, str]) -> T | None:
        try:
            return function(out / name, *others)
        except policy.PolicyError as error:
            wrong.append(str(error))
            return None

    deadlines = tried(policy.read_deadlines, "deadlines.toml")
    if deadlines is not None:
        extensions = aliases.renamed(deadlines.extensions, known)
        deadlines = msgspec.structs.replace(deadlines, extensions=extensions)
    decisions = Decisions(
        deadlines,
        tried(policy.read_overrides, "overrides.csv", known) or {},
        tried(policy.read_holds, "holds.csv", known) or {},
        tried(policy.read_times, "times.csv", known) or {},
    )
    for file, named in {
        "deadlines.toml": set(deadlines.extensions if deadlines else ()),
        "overrides.csv": {student for student, _ in decisions.overrides},
        "holds.csv": set(decisions.holds),
        "times.csv": set(decisions.times),
    }.items():
        wrong += _strangers(out / file, named, found)
    exercises = {exercise.id for exercise in manifests.load()} | {""}
    for unknown in sorted({exercise for _, exercise in decisions.overrides} - exercises):
        near = did_you_mean(unknown, exercises)
        wrong.append(f"{out / 'overrides.csv'}: no exercise is called {unknown}{near}")
    if wrong:
        raise policy.PolicyError("\n".join(wrong))
    if key is not None:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        (out / _MARK).touch()
    return found, decisions, real


def _check_folder(out: Path, key: Path | None) -> None:
    """Raises RosterError if a folder of aliases is to hold names, or the other way round."""
    is_anonymous = (out / _MARK).exists()
    if is_anonymous and key is None:
        raise roster.RosterError(f"{out} has aliases: give --anonymous with the file of them")
    named = any((out / name).exists() for name in ("students", "marks.csv", "pairs.csv"))
    if named and not is_anonymous and key is not None:
        raise roster.RosterError(f"{out} names students already: take another folder")


def _strangers(file: Path, named: Collection[str], found: roster.Class) -> list[str]:
    """What is wrong with a file that names somebody who is not of the class; [] if nothing is."""
    return [
        f"{file}: nobody of the class is called {unknown}{did_you_mean(unknown, found.students)}"
        for unknown in sorted(set(named) - found.students.keys())
    ]
