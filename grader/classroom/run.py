"""Grades what a class handed in, as far as it is not done, in processes with a grader each.

Every grading is kept as soon as it is there, so whatever ends a run costs only what was running.
The same command then goes on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.classroom import engine
from grader.classroom.folder import Failure, Source, StudentFolder, state_of
from grader.classroom.roster import HandIn
from grader.faults import GraderFault
from grader.intake import stage
from grader.intake.entries import SubmissionError
from grader.isolation import CannotIsolate
from grader.judge.grader import Grader
from grader.judge.provenance import content_hash, tree_hash
from grader.results.record import Grade

Status = Literal["graded", "unchanged", "refused", "fault", "elsewhere"]
_TRIES = 3  # of a submission in whose grading the process was killed
_PATIENCE = 1.0  # seconds between two looks at what another machine grades


@dataclass(frozen=True)
class Job:
    """What is graded once: what was handed in, and the students whose grade it is."""

    path: Path
    students: tuple[str, ...]


def jobs_of(counted: Mapping[str, HandIn]) -> list[Job]:
    """The jobs of a class; the members of a group share one."""
    groups: dict[Path, list[str]] = {}
    for student, one in counted.items():
        groups.setdefault(one.path, []).append(student)
    return [Job(path, tuple(students)) for path, students in groups.items()]


def is_done(job: Job, marks: Path) -> bool:
    """Whether each student has the grade of just these files by just this grader, or no chance.

    Nothing is read of what was handed in but names, sizes and times of change.
    """
    try:
        state = state_of(job.path)
    except OSError:
        return False
    for student in job.students:
        folder = StudentFolder(marks, student)
        source, failure = folder.source(), folder.failure()
        if source is None or source.state != state or source.tree != tree_hash():
            return False
        if failure is not None and failure.status == "fault":
            return False
        if failure is None and not folder.grade_file.exists():
            return False
    return True


def grade_all(
    todo: Sequence[Job],
    marks: Path,
    nonce: str,
    start: Callable[[], Grader],
    processes: int,
    done: Callable[[Job, Status], None],
) -> None:
    """Grades each job once.

    Args:
        todo: the jobs.
        marks: the class's folder.
        nonce: of every grading.
        start: makes a grader, as in `engine.started`.
        processes: how many grade at a time.
        done: called when a job is done, or is being graded by another machine.

    Raises:
        CannotIsolate: the machine does not offer the tier.
        GraderFault: no process could start.
    """
    waiting, kills = list(todo), Counter[Job]()
    while waiting:
        # What ran when a process was killed runs alone: nobody else could say what killed it.
        suspects = [job for job in waiting if kills[job]]
        batch = suspects[:1] or waiting
        waiting = [job for job in waiting if job not in batch]
        running: dict[Future[Status], Job] = {}
        try:
            with engine.started(start, min(processes, len(batch))) as graders:
                while batch or running:
                    while batch and len(running) < 2 * processes:
                        job = batch.pop(0)
                        running[graders.submit(grade_one, job, marks, nonce)] = job
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        job = running[future]
                        status = _status(future, job, marks)
                        del running[future]
                        done(job, status)
        except BrokenProcessPool:
            if not running:
                raise GraderFault("no process that grades could start") from None
            waiting += batch
            for job in running.values():
                kills[job] += 1
                if kills[job] < _TRIES:
                    waiting.append(job)
                else:
                    _keep_fault(job, marks, f"the grader was killed {_TRIES} times meanwhile")
                    done(job, "fault")


def wait_for_others(jobs: Sequence[Job], marks: Path) -> Iterator[Job]:
    """Jobs that other machines grade now, each as soon as it is done or was given up."""
    left = list(jobs)
    while left:
        for job in list(left):
            with StudentFolder(marks, job.students[0]).leased() as mine:
                if mine is not None:
                    left.remove(job)
                    yield job
        if left:
            time.sleep(_PATIENCE)


def _status(future: Future[Status], job: Job, marks: Path) -> Status:
    """How a job ended; an exception is kept as its fault, but for those that end the run."""
    try:
        return future.result()
    except (BrokenProcessPool, CannotIsolate):
        raise
    except Exception as error:  # a mistake of ours in one grading must not end the others
        _keep_fault(job, marks, str(error) or type(error).__name__)
        return "fault"


def _keep_fault(job: Job, marks: Path, message: str) -> None:
    for student in job.students:
        source = Source(path=str(job.path), state="", tree=tree_hash())
        StudentFolder(marks, student).write_failure(Failure("fault", message), source)


# --- in a process of the engine ------------------------------------------------------------------


def grade_one(grader: Grader, job: Job, marks: Path, nonce: str) -> Status:
    """Grades a job and keeps the grade.

    Raises:
        GraderFault: the grader failed; nothing is kept.
    """
    folders = [StudentFolder(marks, student) for student in job.students]
    with folders[0].leased() as renew:
        if renew is None:
            return "elsewhere"
        if is_done(job, marks):
            return "unchanged"
        try:
            source = Source(path=str(job.path), state=state_of(job.path), tree=tree_hash())
            manifest = grader.manifest
            selected = stage.read(job.path, manifest.package, manifest.modules)
        except (SubmissionError, OSError) as error:
            for folder in folders:
                folder.write_failure(Failure("refused", str(error)), source)
            return "refused"
        content = content_hash(selected, manifest.package)
        grade = folders[0].grade()
        where = grade.provenance if grade else None
        if (
            grade is None
            or where is None
            or (where.submission, where.tree) != (content, tree_hash())
        ):
            grade = grader.grade(
                selected,
                nonce=nonce,
                timing="skip",
                further_seeds=True,
                on_check=lambda _: renew(),
            )
            if grade.faults:
                raise GraderFault("; ".join(grade.faults))
        for folder in folders:
            if folder.grade() == grade:
                folder.write_source(source)
            else:
                folder.write_grade(grade, source)
        return "graded"


def _is_of(grade: Grade, content: str) -> bool:
    """Whether it is of these files, by this grader."""
    found = grade.provenance
    return found is not None and (found.submission, found.tree) == (content, tree_hash())
