"""The marks of a class: one row for each student, derived from what is in the folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec

from grader.causes import Cause
from grader.classroom import tables
from grader.classroom.decisions import Decisions
from grader.classroom.folder import StudentFolder, read_json
from grader.classroom.policy import Override, PolicyError
from grader.classroom.roster import Class, HandIn, Student
from grader.isolation import UNISOLATED
from grader.judge.provenance import SHORT
from grader.results.record import Grade
from grader.results.text import clean_name, plural, points
from grader.results.write import write_atomically

SAME = "the same files: "  # and the students of a group of them
PUBLISHED = "published as "  # and the mark that left, which is another now
Status = Literal["graded", "refused", "fault", "waiting", "undecided", "missing"]
COLUMNS = (
    *("id", "name", "status", "score", "max", "late_days", "penalty", "final", "import_errors"),
    *("not_started", "slow_s", "cpu_s", "submission_sha", "handout", "nonce", "verdicts"),
    *("published", "attention"),
)


@dataclass
class Row:
    """One student's mark."""

    student: Student
    status: Status
    score: float | None = None  # before lateness; None without a grade
    max_score: float | None = None
    late_days: int = 0
    penalty: float = 0.0
    lateness: str = ""  # what the penalty is for
    final: float | None = None  # what is entered as the mark, if there is one
    published: float | None = None  # the mark that left last, if one did
    exercises: dict[str, float] = field(default_factory=dict)  # points
    attention: list[str] = field(default_factory=list)  # what a person should look at
    settled: list[str] = field(default_factory=list)  # what staff decided, for staff
    grade: Grade | None = None
    is_held: bool = False  # it must not leave yet
    untimed: bool = False  # nobody knows when it came, so that it cost nothing
    for_student: list[str] = field(default_factory=list)  # what staff decided, for the student
    is_total: bool = False  # staff decided the whole mark
    page: str = ""  # the name by which the platform knows whose a page is

    @cached_property
    def started(self) -> frozenset[str]:
        """The exercises of the grade of which something ran that was no stub."""
        return frozenset(
            check.exercise
            for check in (self.grade.checks if self.grade is not None else ())
            if check.state != "not_run" and check.cause is not Cause.NOT_STARTED
        )

    @property
    def publishable(self) -> bool:
        """Whether the mark may be published."""
        return self.final is not None and not self.is_held

    @property
    def explanation(self) -> str:
        """Why the mark is not the sum of the report's points; "" if it is."""
        if self.grade is None or self.final is None or not (self.for_student or self.penalty):
            return ""
        parts = [f"{points(self.grade.score or 0.0)} by the tests", *self.for_student]
        if self.penalty:
            parts.insert(len(parts) - self.is_total, self.lateness)
        return f"Your mark is {points(self.final)}: {'; '.join(parts)}."


def rows(class_: Class, marks: Path, decisions: Decisions, current: Collection[str]) -> list[Row]:
    """A row for each student, in the order of their ids.

    `current` are those whose grade, or its refusal, is of what they handed in last.
    """
    by_content: dict[str, list[str]] = {}
    made = []
    published = _read_published(marks)
    platform_tells = any(one.late for one in class_.counted.values())  # the others were on time
    for student in sorted(class_.students.values(), key=lambda student: student.id):
        hand_in = class_.counted.get(student.id)
        row = _derived_row(student, hand_in, marks, decisions, student.id in current)
        if student.id in class_.undecided:
            row.status = "undecided"
        row.untimed &= not platform_tells
        row.published = published.get(student.id)
        leaving = row.final if row.publishable else None
        if published and row.published != leaving:
            before, now = _of_one(row.published, "nothing"), _of_one(leaving, "withdrawn")
            row.attention.append(f"{PUBLISHED}{before}, and is {now} now")
        if earlier := class_.earlier.get(student.id):
            names = ", ".join(sorted(clean_name(other.path.name) for other in earlier))
            row.attention.append(f"handed in earlier, and not counted: {names}")
        if row.grade is not None and row.grade.provenance is not None:
            by_content.setdefault(row.grade.provenance.submission, []).append(student.id)
        made.append(row)
    most = max((row.grade.max_score for row in made if row.grade), default=0.0)
    for row in made:
        if row.grade is not None and row.grade.max_score < most:
            out_of = f"out of {points(row.grade.max_score)} points, and others of {points(most)}"
            row.attention.append(f"{out_of}: its races did not run, or could not be measured")
        if row.grade is None or row.grade.provenance is None:
            continue
        same = by_content[row.grade.provenance.submission]
        hand_in = class_.counted.get(row.student.id)
        others = [s for s in same if s != row.student.id and class_.counted.get(s) != hand_in]
        if others and row.started:
            row.attention.append(f"{SAME}{', '.join(same)}")
    return made


def _derived_row(
    student: Student, hand_in: HandIn | None, marks: Path, decisions: Decisions, is_current: bool
) -> Row:
    """A student's row, without what depends on other students."""
    folder = StudentFolder(marks, student.id)
    row = Row(student, "missing", page=hand_in.page if hand_in is not None else "")
    failure = folder.failure()
    if hand_in is not None and failure is not None and (is_current or failure.status == "fault"):
        row.status = failure.status
        first, _, rest = failure.message.partition("\n")
        last = rest.rpartition("\n")[2]  # of a traceback
        row.attention.append(f"{failure.status}: {first}" + (f" … {last}" if last else ""))
    elif hand_in is not None and is_current and (grade := folder.grade()) is not None:
        _enter_grade(row, grade)
    elif hand_in is not None:
        row.status = "waiting"
        row.attention.append("not graded yet")
    if hold := decisions.holds.get(student.id):
        row.is_held = True
        row.settled.append(f"held by {hold.author}: {hold.reason}")
    if total := decisions.overrides.get((student.id, "")):
        row.attention.clear()  # decided, whatever the grade is
    _override(row, decisions.overrides)
    if row.score is not None and hand_in is not None:
        when = decisions.times.get(student.id, hand_in.when)
        _charge_lateness(row, when, hand_in.late, decisions)
        row.final = round(row.score * (1 - row.penalty), 2)
    if total is not None:
        before = _of_one(row.final, "none")
        row.final, row.is_total = total.points, True
        row.for_student.append(f"{points(total.points)} as staff decided")
        row.settled.append(
            f"the mark was {before} and is {points(total.points)}, by {total.author}: "
            f"{total.reason}{_above(total.points, row.max_score)}"
        )
    return row


def _enter_grade(row: Row, grade: Grade) -> None:
    """Enters the points before lateness, and what about the grade needs a person."""
    row.status, row.grade = "graded", grade
    row.score, row.max_score = grade.score, grade.max_score
    row.exercises = {exercise.id: exercise.points for exercise in grade.exercises}
    broken = [module for module in grade.modules if not module.ok]
    if broken:
        first = clean_name(broken[0].message.partition("\n")[0])
        others = f", and {plural(len(broken) - 1, 'module')} with it" if broken[1:] else ""
        zero = "0 points, " if grade.score == 0 else ""
        row.attention.append(f"{zero}cannot be imported: {broken[0].module} ({first}){others}")
    if grade.isolation.tier == UNISOLATED:
        row.attention.append("graded without isolation (--unsafe): the points prove nothing")
    if grade.left_out:
        row.attention.append(f"{plural(len(grade.left_out), 'file')} left out or renamed")
    if grade.budget is not None and grade.budget.drawn:
        row.attention.append(f"slow: drew {grade.budget.drawn:.0f} s of the time budget")


def _charge_lateness(row: Row, when: datetime | None, is_late: bool, decisions: Decisions) -> None:
    deadlines = decisions.deadlines
    if when is None and is_late:
        until = deadlines.extensions.get(row.student.id) if deadlines else None
        row.attention.append(
            f"late, says the platform, but has until {until:%Y-%m-%d %H:%M}: not charged"
            if until
            else "late, says the platform, but not since when: not charged; times.csv can say"
        )
    elif deadlines is not None and when is not None:
        row.late_days = deadlines.days_late(row.student.id, when)
        row.penalty = round(deadlines.penalty(row.late_days), 6)
        row.lateness = deadlines.in_words(row.late_days)
    elif deadlines is not None:
        row.untimed = True


def _override(row: Row, overrides: Mapping[tuple[str, str], Override]) -> None:
    """Replaces the points of single exercises, and says so in `settled`."""
    for (student, exercise), one in overrides.items():
        if student != row.student.id or not exercise:
            continue
        if exercise not in row.exercises:
            row.attention.append(f"the override of {exercise} fits no exercise of the grade")
            continue
        assert row.score is not None, "with exercises there is a score"
        assert row.grade is not None, "it has exercises"
        of = next(e for e in row.grade.exercises if e.id == exercise)
        before, most = row.exercises[exercise], of.max_points
        if of.core:
            row.score = round(row.score + one.points - (before if of.measured else 0), 2)
        if of.core and not of.measured:
            row.max_score = round((row.max_score or 0.0) + most, 2)
        row.exercises[exercise] = one.points
        if one.points != before or not of.measured:
            row.for_student.append(f"{points(one.points)} for {exercise} as staff decided")
        row.settled.append(
            f"{exercise} was {points(before)} and is {points(one.points)}, by {one.author}: "
            f"{one.reason}{_above(one.points, most)}"
            f"{'' if of.core else ' (a further exercise: no part of the mark)'}"
        )


def _of_one(mark: float | None, otherwise: str) -> str:
    return otherwise if mark is None else points(mark)


def _above(given: float, most: float | None) -> str:
    return f" (above the {points(most)} that there are)" if most and given > most else ""


def cells(row: Row) -> dict[str, object]:
    """The row of `marks.csv`; what is not there is empty."""
    found: dict[str, object] = {"id": row.student.id, "name": row.student.name}
    found |= {"status": row.status, "published": row.published}
    found["attention"] = "; ".join((*row.attention, *row.settled))
    if row.final is not None:
        found |= {"score": row.score, "max": row.max_score, "late_days": row.late_days}
        found |= {"penalty": row.penalty, "final": row.final}
    if (grade := row.grade) is not None:
        found["import_errors"] = sum(not module.ok for module in grade.modules)
        found["not_started"] = sum(e.id not in row.started for e in grade.exercises)
        found["slow_s"] = round(grade.budget.drawn, 1) if grade.budget else None
        found |= {"nonce": grade.nonce, "verdicts": grade.verdicts[:SHORT]}
        if (origin := grade.provenance) is not None:
            found |= {"cpu_s": origin.cpu_seconds, "handout": origin.handout}
            found["submission_sha"] = origin.submission[:SHORT]
    return found


def write_tables(rows: Sequence[Row], marks: Path) -> None:
    """Writes `marks.csv` and `marks_by_exercise.csv`."""
    write_atomically(marks / "marks.csv", tables.to_csv(COLUMNS, map(cells, rows)))
    exercises = list(dict.fromkeys(name for row in rows for name in row.exercises))
    by_exercise = ({"id": row.student.id, **row.exercises} for row in rows)
    table = tables.to_csv(("id", *exercises), by_exercise)
    write_atomically(marks / "marks_by_exercise.csv", table)


def entered(student: str, marks: Path) -> str:
    """A student's mark as `marks.csv` has it, and what led to it; "" if it has none."""
    file = marks / "marks.csv"
    names, *lines = tables.read(file, PolicyError) if file.exists() else [[]]
    cells = next((dict(zip(names, line, strict=True)) for line in lines if line[0] == student), {})
    shown = "status", "score", "max", "late_days", "penalty", "final", "published", "attention"
    return ", ".join(f"{name} {cells[name]}" for name in shown if cells.get(name))


def note_shown(rows: Sequence[Row], marks: Path) -> list[str]:
    """Keeps what the tables show; returns the students of whom they showed something else before.

    Call it once they are written: no table has shown yet what a killed command graded, another
    machine, or a part of the class.
    """
    file, now = marks / "shown.json", {row.student.id: _shown(row) for row in rows}
    before = read_json(file, dict[str, list[object]]) or {}
    write_atomically(file, msgspec.json.encode(now))
    return [student for student, shown in now.items() if before.get(student) != shown]


def _shown(row: Row) -> list[object]:
    """What the tables show of a grading: no grade is published before staff could see it.

    What staff decide is no part of it: they know.
    """
    grade = row.grade
    of = [grade.score, grade.max_score, grade.verdicts, grade.started] if grade else []
    return [row.status, *of]


def note_published(rows: Sequence[Row], marks: Path) -> None:
    """Notes the published marks, beside earlier ones, which may still be on the platform.

    With that the rows no longer say that a published mark has changed.
    """
    kept = _read_published(marks)
    kept |= {row.student.id: row.final for row in rows if row.publishable and row.final is not None}
    lines = ({"id": student, "points": points} for student, points in sorted(kept.items()))
    write_atomically(marks / "published.csv", tables.to_csv(("id", "points"), lines))
    for row in rows:
        if row.publishable:
            row.published = row.final
            row.attention = [why for why in row.attention if not why.startswith(PUBLISHED)]


def _read_published(marks: Path) -> dict[str, float]:
    file = marks / "published.csv"
    lines = tables.read(file, PolicyError)[1:] if file.exists() else []
    try:
        return {student: float(mark) for student, mark in filter(None, lines)}
    except ValueError as error:
        raise PolicyError(f"{file} is not what was written; remove it: {error}") from error


CHANGES = ("id", "name", "exercise", "old", "new", "checks", "final")


def write_changes(rows: Iterable[Row], marks: Path) -> int | None:
    """Writes `changes.csv`: which points differ from the grading before. Returns how many do.

    None if nobody was graded before. The column `checks` has those whose points changed.
    """
    lines: list[dict[str, object]] = []
    none_before = True
    for row in rows:
        before = StudentFolder(marks, row.student.id).previous() if row.grade else None
        if row.grade is None or before is None:
            continue
        none_before = False
        old, new = _measured(before), _measured(row.grade)
        earned = {check.test: check.points for check in before.checks}
        for exercise in dict.fromkeys((*new, *old)):
            if old.get(exercise) == new.get(exercise):
                continue
            changed = [
                check.test
                for check in row.grade.checks
                if check.exercise == exercise and check.points != earned.get(check.test, 0.0)
            ]
            old_and_new = exercise, old.get(exercise), new.get(exercise)
            values = row.student.id, row.student.name, *old_and_new, " ".join(changed), row.final
            lines.append(dict(zip(CHANGES, values, strict=True)))
    write_atomically(marks / "changes.csv", tables.to_csv(CHANGES, lines))
    return None if none_before else len(lines)


def _measured(grade: Grade) -> dict[str, float]:
    return {exercise.id: exercise.points for exercise in grade.exercises if exercise.measured}
