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
_ANONYMOUS = "anonymous"  # an empty file in a class's folder that has aliases


@dataclass(frozen=True)
class Decisions:
    """What staff decided."""

    deadlines: Deadlines | None = None
    overrides: Mapping[tuple[str, str], Override] = field(default_factory=dict)
    holds: Mapping[str, Hold] = field(default_factory=dict)
    times: Mapping[str, datetime] = field(default_factory=dict)


def _read_class(
    submissions: Path, students: Path | None, out: Path, id_of: Mapping[str, str]
) -> roster.Class:
    """The class, with what staff decided in `matches.csv`; `id_of` has the id of each alias."""
    listed = roster.read_roster(students) if students else None
    decided = policy.read_matches(out / "matches.csv", id_of)
    handed = roster.handed_in(submissions, listed)
    class_ = roster.match(handed, listed, decided)
    for name in sorted(decided.keys() - {one.path.name for one in handed}):
        why = "is in matches.csv and not here: if it is gone, remove its line, else correct it"
        class_.unmatched.append((submissions / name, why))
    if wrong := _strangers(out / "matches.csv", set().union(*decided.values()), class_):
        raise policy.PolicyError("\n".join(wrong))
    return class_


def read(
    submissions: Path, students: Path | None, out: Path, alias_file: Path | None = None
) -> tuple[roster.Class, Decisions, dict[str, roster.Student]]:
    """The class, what staff decided, and who the students really are, by their id in the class.

    With `alias_file` class and decisions have aliases for ids. Raises RosterError or PolicyError.
    """
    _check_folder(out, alias_file)
    class_ = _read_class(submissions, students, out, aliases.id_of_alias(alias_file))
    alias_of, real = {}, class_.students
    if alias_file is not None:
        if alias_file.resolve().is_relative_to(out.resolve()):
            raise roster.RosterError(f"{alias_file} tells who is who: keep it outside {out}")
        alias_of = aliases.aliases(alias_file, class_.students)
        real = {alias_of[student.id]: student for student in class_.students.values()}
        class_ = aliases.hide(class_, alias_of)
    wrong: list[str] = []  # in any of the files

    def tried(function: Callable[..., T], name: str, *new_ids: Mapping[str, str]) -> T | None:
        try:
            return function(out / name, *new_ids)
        except policy.PolicyError as error:
            wrong.append(str(error))
            return None

    deadlines = tried(policy.read_deadlines, "deadlines.toml")
    if deadlines is not None:
        extensions = aliases.renamed(deadlines.extensions, alias_of)
        deadlines = msgspec.structs.replace(deadlines, extensions=extensions)
    decisions = Decisions(
        deadlines,
        tried(policy.read_overrides, "overrides.csv", alias_of) or {},
        tried(policy.read_holds, "holds.csv", alias_of) or {},
        tried(policy.read_times, "times.csv", alias_of) or {},
    )
    for file, named in {
        "deadlines.toml": set(deadlines.extensions if deadlines else ()),
        "overrides.csv": {student for student, _ in decisions.overrides},
        "holds.csv": set(decisions.holds),
        "times.csv": set(decisions.times),
    }.items():
        wrong += _strangers(out / file, named, class_)
    exercises = {exercise.id for exercise in manifests.load()} | {""}
    for unknown in sorted({exercise for _, exercise in decisions.overrides} - exercises):
        near = did_you_mean(unknown, exercises)
        wrong.append(f"{out / 'overrides.csv'}: no exercise is called {unknown}{near}")
    if wrong:
        raise policy.PolicyError("\n".join(wrong))
    if alias_file is not None:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        (out / _ANONYMOUS).touch()
    return class_, decisions, real


def _check_folder(out: Path, alias_file: Path | None) -> None:
    """Raises RosterError if a folder of aliases is to hold names, or the other way round."""
    is_anonymous = (out / _ANONYMOUS).exists()
    if is_anonymous and alias_file is None:
        raise roster.RosterError(f"{out} has aliases: give --anonymous with the file of them")
    named = any((out / name).exists() for name in ("students", "marks.csv", "pairs.csv"))
    if named and not is_anonymous and alias_file is not None:
        raise roster.RosterError(f"{out} names students already: take another folder")


def _strangers(file: Path, named: Collection[str], class_: roster.Class) -> list[str]:
    """What is wrong with a file that names somebody who is not of the class; [] if nothing is."""
    return [
        f"{file}: nobody of the class is called {unknown}{did_you_mean(unknown, class_.students)}"
        for unknown in sorted(set(named) - class_.students.keys())
    ]
