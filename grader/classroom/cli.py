"""The commands `grader class`, `report`, `explain` and `similar`."""

from __future__ import annotations

import fnmatch
import io
import re
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from assignment import manifest as manifests
from grader import command_line
from grader.classroom import (
    attention,
    decisions,
    folder,
    gradebook,
    marks,
    overview,
    policy,
    publication,
    roster,
    run,
)
from grader.classroom.tables import to_csv
from grader.faults import GraderFault
from grader.intake import stage
from grader.intake.bounded import LimitExceeded
from grader.intake.entries import SubmissionError
from grader.isolation import UNISOLATED, CannotIsolate, Tier, at_least
from grader.judge.grader import Grader
from grader.judge.markers import load as load_checked
from grader.machine import cores
from grader.paths import REPOSITORY
from grader.races import device
from grader.results.text import plural, printable
from grader.results.write import write_all, write_atomically
from grader.terminal import BAD_INPUT, FAULT, OK, MinTier, Unsafe, console, fail, stoppable

Anonymous = Annotated[
    Path | None,
    typer.Option(
        metavar="KEYFILE",
        help="a CSV file of aliases, made if need be; only what is published names students",
    ),
]
_PROGRESS_EVERY = 60.0  # seconds between two lines of progress where there is no terminal


def add_commands(app: typer.Typer) -> None:
    """Adds `class`, `report`, `explain` and `similar` to `grader`."""
    app.command("class")(grade_class)
    app.command()(report)
    app.command()(explain)
    app.command()(similar)


@stoppable("(run the same command to go on)")
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
    jobs: Annotated[
        int | None, typer.Option(min=1, help="gradings at a time; by default one for each core")
    ] = None,
    only: Annotated[
        str, typer.Option(metavar="PATTERN", help="grade these students, such as 'a*'")
    ] = "*",
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="grade only the I-th of N parts; no tables")
    ] = "1/1",
    races: Annotated[
        bool,
        typer.Option(
            "--races", help="also what needs a CUDA device, one grading at a time; it must be idle"
        ),
    ] = False,
    anonymous: Anonymous = None,
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
    min_tier: MinTier = Tier.C,
    unsafe: Unsafe = False,
) -> None:
    """Grades a class: what is graded already is kept, so the same command goes on.

    Writes marks.csv, marks_by_exercise.csv, attention.md, a list of what needs a person, and
    overview.html. Staff decide in deadlines.toml, overrides.csv and other files of the same folder.

    Exit status: 0 each submission of a student has its mark or was refused; 2 a file cannot be
    read, or names nobody of the class; 3 a fault of the grader, or nothing may be published yet; 4
    a mistake in the assignment.
    """
    command_line.overwrite("grader class")  # workers may read it
    load_checked(REPOSITORY / "tests")
    if (is_part := shard != "1/1") and publish is not None:
        fail(BAD_INPUT, "--publish needs all of the class: leave out --shard")
    if races and (missing := device.why_none()):
        fail(FAULT, f"--races: no CUDA device can be used: {missing}")
    try:
        book = gradebook.read(exported, column) if exported else None
        for other in (submissions, out):
            if publish is not None and publication.overlap(other, publish):
                fail(BAD_INPUT, f"{publish} and {other} must be folders beside each other")
        expected = {publication.MARKS, book.name if book else ""}
        if publish and (stale := {path.name for path in publish.glob("*.csv")} - expected):
            names = ", ".join(sorted(stale))
            fail(BAD_INPUT, f"{publish} has {names} of before: --gradebook again, or remove it")
        if book is not None and (publish is None or book.name == publication.MARKS):
            fail(BAD_INPUT, "--gradebook needs --publish, and another name than marks.csv")
        class_, decided, identities = decisions.read(submissions, students, out, anonymous)
    except (gradebook.GradebookError, policy.PolicyError, roster.RosterError) as error:
        fail(BAD_INPUT, str(error))
    tiers = (UNISOLATED,) if unsafe else at_least(min_tier)
    order = run.Order(out, tiers, races, anonymous is not None)
    everything = run.jobs_of(class_.counted)
    wanted = [
        job
        for job in _part(everything, shard)
        if any(
            fnmatch.fnmatchcase(name, only)
            for student in job.students
            for name in (student, identities[student].id)
        )
    ]
    if only != "*" and not wanted:
        fail(BAD_INPUT, f"--only {only}: nobody of them handed anything in")
    fault, todo = "", [job for job in wanted if not run.is_done(job, order)]
    out.mkdir(mode=0o700, parents=True, exist_ok=True)  # before what a grading writes in it
    new, unseen = 0, list[str]()
    try:
        new = _grade(todo, order, 1 if races else jobs)
    except CannotIsolate as error:
        fail(FAULT, f"this machine cannot isolate a submission as asked:\n{error}")
    except GraderFault as error:
        fault = str(error)
    done = {job for job in wanted if run.is_done(job, order)}
    rows = []
    if is_part:  # to read what all have would take each part longer than its own gradings
        _say(f"{len(done)} of {len(wanted)} done; without --shard the tables are written")
    else:
        graded = replace(order, races=False)
        kept = (job for job in everything if job in done or run.is_done(job, graded))
        current = {student for job in kept for student in job.students}
        try:
            rows = marks.rows(class_, out, decided, current)
        except policy.PolicyError as error:
            fail(BAD_INPUT, str(error))
        _write(class_, rows, out, new)
        unseen = marks.note_shown(rows, out)
    if fault:
        fail(FAULT, fault)
    if publish is not None:
        try:
            publication.check(class_, rows, out, unseen)
        except publication.NotReady as error:
            fail(FAULT, str(error))
        marks.note_published(rows, out)
        _write_files(class_, rows, out)
        named = [replace(row, student=identities[row.student.id]) for row in rows]
        _publish(sorted(named, key=lambda row: row.student.id), out, publish, book)
    raise typer.Exit(OK if len(done) == len(wanted) else FAULT)


def _part(jobs: list[run.Job], shard: str) -> list[run.Job]:
    """The jobs of one part, as `--shard` names it; together the parts are all jobs, each once."""
    match = re.fullmatch(r"([1-9]\d{0,5})/([1-9]\d{0,5})", shard)
    if match is None or int(match[1]) > int(match[2]):
        fail(BAD_INPUT, f"--shard {shard}: expected I/N, with I from 1 to N")
    return sorted(jobs, key=lambda job: job.students)[int(match[1]) - 1 :: int(match[2])]


def _grade(todo: list[run.Job], order: run.Order, jobs: int | None) -> int:
    """Grades what is to be graded; returns how many have a new grade or were refused."""
    if not todo:
        return 0
    new = 0
    processes = min(jobs or max(int(cores()), 1), len(todo))
    elsewhere: list[run.Job] = []
    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    said = TextColumn("{task.description}", markup=False)
    what = "new, changed, or graded by other tests than today's"
    _say(f"{plural(len(todo), 'submission')} to look at, {processes} at a time: {what}")
    ended, total, begun = 0, len(todo), time.monotonic()
    told = begun
    with Progress(*columns, said, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)

        def done(job: run.Job, status: run.Status) -> None:
            nonlocal new, ended, told
            new += status in ("graded", "refused")
            if status == "elsewhere":
                elsewhere.append(job)
                return
            ended, now = ended + 1, time.monotonic()
            minutes = (now - begun) / ended * (total - ended) / 60
            left = f"about {max(1, round(minutes))} min left; " if ended < total else ""
            progress.update(task, advance=1, description=f"{left}{job.students[0]} is done")
            if not console.is_terminal and now - told > _PROGRESS_EVERY:
                told = now
                _say(f"{left}{ended} of {total} done")

        while todo:
            elsewhere.clear()
            run.grade_all(todo, order, processes, done, Grader)
            if elsewhere:
                progress.update(task, description=f"{len(elsewhere)} are graded by other machines")
            todo = []
            for job in run.wait_for_others(elsewhere, order.marks):
                if run.is_done(job, order):
                    progress.update(task, advance=1)
                else:
                    todo.append(job)  # the machine that graded it has ended
    _say(f"{new} of them graded or refused anew")
    return new


def _write(class_: roster.Class, rows: list[marks.Row], out: Path, new: int) -> None:
    """Writes the tables and pages, and prints a summary; `new` counts the new gradings."""
    _write_files(class_, rows, out)
    changed = marks.write_changes(rows, out)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for status, count in Counter(row.status for row in rows).most_common():
        table.add_row(str(count), status)
    console.print(table)
    if scores := [row.final for row in rows if row.final is not None]:
        mean = sum(scores) / len(scores)
        of = max((row.max_score or 0.0 for row in rows), default=0.0)
        _say(
            f"{plural(len(scores), 'mark')}: mean {mean:.1f} of {of:g} points, "
            f"from {min(scores):g} to {max(scores):g}"
        )
    if changed is not None and new:
        where = f": {out}/changes.csv" if changed else ""
        _say(f"{plural(changed, 'change')} since each student's grading before{where}")
    if class_.unmatched:
        _say(f"! {plural(len(class_.unmatched), 'hand-in')} of nobody for sure", style="yellow")
    needy = sum(bool(row.attention) for row in rows)  # but for what is decided
    _say(f"{plural(needy, 'student')} for a person: {out}/attention.md · marks: {out}/marks.csv")


def _write_files(class_: roster.Class, rows: list[marks.Row], out: Path) -> None:
    marks.write_tables(rows, out)
    strangers = folder.known_students(out) - class_.students.keys()
    suspects = overview.suspects(rows)
    page = attention.text(class_, rows, out, strangers, suspects)
    write_atomically(out / "attention.md", page.encode())
    write_atomically(out / "overview.html", overview.html(rows, suspects).encode())


def _publish(
    rows: list[marks.Row], out: Path, target: Path, book: gradebook.Gradebook | None
) -> None:
    """Writes what leaves the machine into `target`, with the platform's gradebook, and says so."""
    by_outcome = publication.publish(rows, out, target)
    not_packed = publication.pack(rows, target)
    if book is not None:
        data, left = book.filled(rows)
        write_atomically(target / book.name, data, 0o644)
        if left:
            _say(f"! in no line of {book.name}: {', '.join(left)}", style="yellow")
    counts = ", ".join(f"{len(ids)} {what}" for what, ids in by_outcome.items())
    beside = [book.name] if book else []
    beside.append(publication.FEEDBACK)
    names = ", ".join(str(target / name) for name in beside if (target / name).exists())
    _say(f"published in {target}/: {counts}" + (f"; {names}" if names else ""))
    if not_packed:
        _say(f"not in {publication.FEEDBACK}: {', '.join(not_packed)}", style="yellow")
    if gone := [r.student.id for r in rows if r.published is not None and not r.publishable]:
        _say(f"withdrawn, but perhaps still on the platform: {', '.join(gone)}", style="yellow")
    for what in sorted(by_outcome.keys() - {"with a page"}):
        _say(f"{what}: {', '.join(by_outcome[what])}")


def _say(text: str, style: str | None = None) -> None:
    console.print(printable(text), style=style, markup=False, highlight=False)


def report(
    marks_folder: Annotated[Path, typer.Argument(metavar="MARKS", help="the class's folder")],
    student: Annotated[str, typer.Argument(help="the student's id")],
    out: Annotated[
        Path | None, typer.Option(help="write the files of `grader grade` into this folder, too")
    ] = None,
) -> None:
    """Shows one student's grade, as the tests gave it, and the mark in `marks.csv`.

    Exit status: 0 it is there; 2 there is no grade.
    """
    from grader.results import console as summary

    known = folder.StudentFolder(marks_folder, student)
    grade, mark = known.grade(), marks.entered(student, marks_folder)
    if grade is None:
        _say(f"marks.csv: {mark or 'nothing'}")
        failure = known.failure()
        fail(BAD_INPUT, f"{student} has no grade" + (f": {failure.message}" if failure else ""))
    console.print(summary.summary(grade, staff=True))
    if out is not None:
        write_all(grade, out)
    if grade.again:
        again = ", ".join(grade.again)
        _say(f"graded apart from the others, with changed tests or on a device: {again}")
    _say(f"nonce {grade.nonce}" + (f" · results in {out}/" if out else ""))
    _say(f"marks.csv: {mark or 'nothing'}")
    _say(f"each check: grader explain {marks_folder}/students/{student}")


def explain(
    file: Annotated[
        Path, typer.Argument(metavar="GRADE", help="a grade.json, or the folder that has it")
    ],
    exercise: Annotated[str, typer.Argument(help="only this one, with all its checks")] = "",
    page: Annotated[Path | None, typer.Option("--html", help="write it as a page, too")] = None,
) -> None:
    """Says where a grade's points come from: each check's, the call, what was expected and came.

    Lateness and what staff decided are no part of a grade; `marks.csv` has them.

    Exit status: 0 it is said; 2 there is no such grade, or no such exercise in it.
    """
    from grader.classroom import explain as explaining

    grade = folder.read_grade(file)
    if grade is None:
        where = f", or of a class {file}/students/ID" if file.is_dir() else ""
        fail(BAD_INPUT, f"{file} is no record of a grading; name a grade.json{where}")
    known = [score.id for score in grade.exercises]
    if exercise and exercise not in known:
        fail(BAD_INPUT, f"{exercise} is no exercise of this grade: {', '.join(known)}")
    recorded = Console(record=True, width=100, file=io.StringIO())
    for line in explaining.explanation(grade, exercise):
        console.print(line, soft_wrap=True)
        recorded.print(line)
    if page is not None:
        write_atomically(page, recorded.export_html().encode())


@stoppable("before anything was written")
def similar(
    submissions: Annotated[Path, typer.Argument(help="as for `grader class`")],
    out: Annotated[Path, typer.Option(help="the class's folder")] = Path("marks"),
    students: Annotated[Path | None, typer.Option("--roster", help="as for `grader class`")] = None,
    anonymous: Anonymous = None,
    least: Annotated[
        float, typer.Option(min=0, max=1, help="the share of one's code that another has, too")
    ] = 0.5,
    export: Annotated[
        Path | None, typer.Option(help="also write each student's modules there, for JPlag")
    ] = None,
) -> None:
    """Lists pairs of students whose code is alike, in pairs.csv: for staff; it decides no mark.

    Exit status: 0 it is written; 2 a file cannot be read.
    """
    from grader.classroom import similar as comparing

    try:
        class_, _, _ = decisions.read(submissions, students, out, anonymous)
    except (policy.PolicyError, roster.RosterError) as error:
        fail(BAD_INPUT, str(error))
    assignment = manifests.load()
    if export is not None and export.exists():
        fail(BAD_INPUT, f"{export} exists; name a folder that does not")
    code, handout = {}, REPOSITORY / "handout" / assignment.package
    exported: dict[str, stage.Selected] = {}
    given = comparing.fingerprints({path.name: path.read_bytes() for path in handout.glob("*.py")})
    for job in run.jobs_of(class_.counted):
        try:
            prints, selected = comparing.read(job.path, assignment)
        except (SubmissionError, LimitExceeded, GraderFault) as error:
            _say(f"! {', '.join(job.students)} is not compared: {error}", style="yellow")
            continue
        code["+".join(job.students)] = prints
        exported[job.students[0]] = selected
    alike = comparing.pairs(code, given, least)
    columns = ("first", "second", "share", "shared", "where")
    lines = [{**asdict(p), "share": round(p.share, 3), "where": " ".join(p.where)} for p in alike]
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(out / "pairs.csv", to_csv(columns, lines))
    if export is not None:
        for student, selected in exported.items():
            stage.write(selected, export / student)
    _say(f"{plural(len(alike), 'pair')} of {len(code)} submissions: {out}/pairs.csv")
