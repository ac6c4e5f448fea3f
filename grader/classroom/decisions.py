"""What staff decided, and the class that they decided it of, which are read together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from assignment import manifest as manifests
from grader.classroom import aliases, policy, roster
from grader.classroom.aliases import renamed
from grader.classroom.policy import Hold, Override
from grader.results.lateness import Deadlines


@dataclass(frozen=True)
class Decisions:
    """What staff decided."""

    deadlines: Deadlines | None = None
    overrides: Mapping[tuple[str, str], Override] = field(default_factory=dict)
    holds: Mapping[str, Hold] = field(default_factory=dict)
    times: Mapping[str, datetime] = field(default_factory=dict)

    def renamed(self, known: Mapping[str, str]) -> Decisions:
        """The same, of aliases."""
        deadlines = self.deadlines
        if deadlines is not None:
            extensions = renamed(deadlines.extensions, known)
            deadlines = msgspec.structs.replace(deadlines, extensions=extensions)
        overrides = {(known.get(s, s), e): one for (s, e), one in self.overrides.items()}
        return Decisions(
            deadlines, overrides, renamed(self.holds, known), renamed(self.times, known)
        )


def read(
    submissions: Path, students: Path | None, out: Path, key: Path | None = None
) -> tuple[roster.Class, Decisions, dict[str, roster.Student]]:
    """The class, what staff decided, and the students; of aliases, if there is a file of them.

    Raises RosterError or PolicyError.
    """
    listed = roster.read_roster(students) if students else None
    decided = policy.read_matches(out / "matches.csv")
    handed = roster.handed_in(submissions, listed)
    if unknown := sorted(decided.keys() - {one.path.name for one in handed}):
        where = f"{out / 'matches.csv'}: no entry of {submissions}"
        raise policy.PolicyError(f"{where} is called {unknown[0]}")
    found = roster.match(handed, listed, decided)
    _check_names(out / "matches.csv", set().union(*decided.values()), found)
    decisions = Decisions(
        policy.read_deadlines(out / "deadlines.toml"),
        policy.read_overrides(out / "overrides.csv"),
        policy.read_holds(out / "holds.csv"),
        policy.read_times(out / "times.csv"),
    )
    real = found.students
    if key is not None:
        if key.resolve().is_relative_to(out.resolve()):
            raise roster.RosterError(f"{key} tells who is who: keep it outside {out}")
        known = aliases.aliases(key, found.students)
        real = {known[student.id]: student for student in found.students.values()}
        found, decisions = aliases.hide(found, known), decisions.renamed(known)
    extensions = decisions.deadlines.extensions if decisions.deadlines else {}
    for file, named in {
        "deadlines.toml": set(extensions),
        "overrides.csv": {student for student, _ in decisions.overrides},
        "holds.csv": set(decisions.holds),
        "times.csv": set(decisions.times),
    }.items():
        _check_names(out / file, named, found)
    exercises = {exercise.id for exercise in manifests.load()} | {""}
    if unknown := sorted({exercise for _, exercise in decisions.overrides} - exercises):
        raise policy.PolicyError(f"{out / 'overrides.csv'}: no exercise is called {unknown[0]}")
    return found, decisions, real


def _check_names(file: Path, named: Collection[str], found: roster.Class) -> None:
    """Raises PolicyError if a file names somebody who is not of the class."""
    if unknown := sorted(set(named) - found.students.keys()):
        raise policy.PolicyError(f"{file}: nobody of the class is called {', '.join(unknown)}")
