"""The commands `grader class` and `grader report`."""

from __future__ import annotations

import fnmatch
import os
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from grader.classroom import (
    attention,
    folder,
    gradebook,
    marks,
    overview,
    policy,
    publication,
    roster,
    run,
)
from grader.faults import GraderFault
from grader.isolation import UNISOLATED, CannotIsolate, Tier, at_least
from grader.judge.grader import Grader
from grader.judge.markers import load as load_checked
from grader.paths import REPOSITORY
from grader.results.text import plural
from grader.results.write import write_all, write_atomically
from grader.terminal import BAD_INPUT, FAULT, OK, console, fail, stoppable


def add_commands(app: typer.Typer) -> None:
    """Adds `class` and `report` to `grader`."""
    app.command("class")(grade_class)
    app.command()(report)


@stoppable("; the same command goes on")
def grade_class(
    submissions: Annotated[
        Path,
        typer.Argument(
            help="a folder with a folder or archive for each student, or an unpacked export of "
            "Gradescope, Canvas or Moodle"
        ),
    ],
    out: Annotated[Path, typer.Option(help="the class's folder")] = Path("marks"),
    students: Annotated[
        Path | None,
        typer.Option("--roster", help="CSV with the columns id, name, email, canvas_id, …"),
    ] = None,
    deadlines: Annotated[
        Path | None, typer.Option(help="TOML with the late policy and extensions")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="gradings at a time; by default one for each core")
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="PATTERN", help="grade these students, such as 'a*'")
    ] = "*",
    publish: Annotated[
        Path | None,
        typer.Option(help="write into this folder what students and the platform get"),
    ] = None,
    exported: Annotated[
        Path | None,
        typer.Option(
            "--gradebook",
            help="Canvas's or Moodle's exported gradebook; publishing writes it with the marks",
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="the gradebook's column of this assignment")
    ] = None,
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="grade only the I-th of N parts, on this machine")
    ] = "1/1",
    min_tier: Annotated[
        Tier, typer.Option(help="refuse to grade with less isolation than this")
    ] = Tier.C,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="run without any isolation, whatever --min-tier says")
    ] = False,
) -> None:
    """Grades a class: what is graded already is kept, so the same command goes on.

    Writes marks.csv, marks_by_exercise.csv, attention.md, a list of what needs a person, and
    overview.html. Staff decide in overrides.csv and holds.csv of the same folder.

    Exit status: 0 each submission has its mark or was refused; 2 a file cannot be read; 3 a fault
    of the grader; 4 a mistake in the assignment.
    """
    load_checked(REPOSITORY / "tests")
    try:
        listed = roster.read_roster(students) if students else None
        found = roster.match(roster.handed_in(submissions), listed)
        decisions = marks.Decisions(
            policy.read_deadlines(deadlines) if deadlines else None,
            policy.read_overrides(out / "overrides.csv"),
            policy.read_holds(out / "holds.csv"),
        )
    except (roster.RosterError, policy.PolicyError) as error:
        fail(BAD_INPUT, str(error))
    wanted = [
        job
        for job in run.jobs_of(found.counted)
        if any(fnmatch.fnmatchcase(student, only) for student in job.students)
    ]
    todo = [job for job in _part(wanted, shard) if not run.is_done(job, out)]
    tiers = (UNISOLATED,) if unsafe else at_least(min_tier)
    try:
        _grade(todo, out, tiers, jobs or os.cpu_count() or 1)
    except CannotIsolate as error:
        fail(FAULT, f"this machine cannot isolate a submission as asked:\n{error}")
    except GraderFault as error:
        fail(FAULT, str(error))
    rows = marks.rows(found, out, decisions)
    out.mkdir(parents=True, exist_ok=True)
    marks.write_tables(rows, out)
    changed = marks.write_changes(rows, out)
    (out / "attention.md").write_text(attention.text(found, rows, out), encoding="utf-8")
    (out / "overview.html").write_text(overview.html(rows), encoding="utf-8")
    _print_summary(rows, changed, out)
    if publish is not None:
        try:
            book = gradebook.filled(exported, column, rows) if exported else None
            publication.publish(rows, out, publish)
        except publication.NotReady as error:
            fail(FAULT, str(error))
        except gradebook.GradebookError as error:
            fail(BAD_INPUT, str(error))
        if exported is not None and book is not None:
            write_atomically(publish / exported.name, book[0], 0o644)
            if book[1]:
                console.print(f"in no row of {exported}: {', '.join(book[1])}", markup=False)
        console.print(f"published in {publish}/", markup=False, highlight=False)
    raise typer.Exit(FAULT if any(row.status == "fault" for row in rows) else OK)


def _part(jobs: list[run.Job], shard: str) -> list[run.Job]:
    """The jobs of one part, as `--shard` names it; together the parts are all jobs, each once."""
    match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", shard)
    if match is None or int(match[1]) > int(match[2]):
        fail(BAD_INPUT, f"--shard {shard}: expected I/N, with I from 1 to N")
    return sorted(jobs, key=lambda job: job.students)[int(match[1]) - 1 :: int(match[2])]


def _grade(todo: list[run.Job], out: Path, tiers: tuple[str, ...], jobs: int) -> None:
    if not todo:
        return
    nonce = folder.current_run(out).nonce
    elsewhere = []
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("grading", total=len(todo))

        def done(job: run.Job, status: run.Status) -> None:
            if status == "elsewhere":
                elsewhere.append(job)
            else:
                progress.update(task, advance=1, description=job.students[0])

        start = partial(Grader, tiers, lanes=1)
        run.grade_all(todo, out, nonce, start, min(jobs, len(todo)), done)
        left = [job for job in run.wait_for_others(elsewhere, out) if not run.is_done(job, out)]
        if left:  # the machine that graded them has ended
            run.grade_all(left, out, nonce, start, min(jobs, len(left)), done)


def _print_summary(rows: list[marks.Row], changed: int, out: Path) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for status, count in Counter(row.status for row in rows).most_common():
        table.add_row(str(count), status)
    console.print(table)
    scores = [row.final for row in rows if row.final is not None]
    if scores:
        mean = sum(scores) / len(scores)
        console.print(f"mean {mean:.1f}, from {min(scores):g} to {max(scores):g}", highlight=False)
    if changed:
        said = f"{plural(changed, 'change')} since the grading before: {out}/changes.csv"
        console.print(said, markup=False, highlight=False)
    needy = sum(bool(row.attention) for row in rows)
    console.print(
        f"{needy} need a person: {out}/attention.md · marks: {out}/marks.csv",
        markup=False,
        highlight=False,
    )


def report(
    marks_folder: Annotated[Path, typer.Argument(metavar="MARKS", help="the class's folder")],
    student: Annotated[str, typer.Argument(help="the student's id")],
    out: Annotated[Path, typer.Option(help="folder for the files")] = Path("out"),
) -> None:
    """Shows one student's grade, and writes the files that `grader grade` writes.

    Exit status: 0 it is there; 2 there is no grade.
    """
    from grader.results import console as summary

    known = folder.StudentFolder(marks_folder, student)
    grade = known.grade()
    if grade is None:
        failure = known.failure()
        fail(BAD_INPUT, f"{student} has no grade" + (f": {failure.message}" if failure else ""))
    write_all(grade, out)
    console.print(summary.summary(grade, staff=True))
    console.print(f"nonce {grade.nonce} · results in {out}/", markup=False, highlight=False)
