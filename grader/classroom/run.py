"""Grades what a class handed in, as far as it is not done, in processes with a grader each.

Every grading is kept as soon as it is there, so whatever ends a run costs only what was running.
The same command then goes on.
"""

from __future__ import annotations

import errno
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from assignment import manifest as manifests
from assignment.manifest import Manifest
from grader.classroom import engine
from grader.classroom.folder import Failure, Source, StudentFolder, current_run, state_of
from grader.classroom.merging import merged, unmeasured, with_this_tree
from grader.classroom.parts import keep_parts, to_rerun
from grader.classroom.roster import HandIn
from grader.faults import GraderFault
from grader.intake import stage
from grader.intake.entries import SubmissionError
from grader.isolation import UNISOLATED, CannotIsolate
from grader.judge.grader import Grader, Timing
from grader.judge.provenance import content_hash, tree_hash
from grader.results.record import Grade
from grader.results.text import clean, printable

Status = Literal["graded", "unchanged", "refused", "fault", "elsewhere"]
# Of what was handed in, as whoever unpacked it has left it, or of the disk.
_MACHINES = {errno.EACCES, errno.EPERM, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENFILE}
_TRIES = 3  # of a submission in whose grading the process was killed
_RENEWED = 60.0  # seconds between two renewals of a lease: many machines share the folder
_UNTOLD = "the reason may name files: it is told in another folder, without --anonymous"
_PATIENCE = 1.0  # seconds between two looks at what another machine grades


@dataclass(frozen=True)
class Job:
    """What is graded once: what was handed in, and the students whose grade it is."""

    path: Path
    students: tuple[str, ...]


@dataclass(frozen=True)
class Order:
    """How a class is graded."""

    marks: Path  # the class's folder
    tiers: tuple[str, ...]
    races: bool = False  # whether exercises that need a device run, too; it must be idle
    is_anonymous: bool = False  # then reasons of failures are not kept: they may name files

    def accepts(self, tier: str) -> bool:
        """Whether an earlier grade may have run in this tier: in any, if isolation is waived."""
        return tier in self.tiers or UNISOLATED in self.tiers


def jobs_of(counted: Mapping[str, HandIn]) -> list[Job]:
    """The jobs of a class; the members of a group share one."""
    groups: dict[Path, list[str]] = {}
    for student, one in counted.items():
        groups.setdefault(one.path, []).append(student)
    return [Job(path, tuple(students)) for path, students in groups.items()]


def is_done(job: Job, order: Order) -> bool:
    """Whether exactly these files have a grade, or were refused, by exactly this grader.

    Nothing is read of what was handed in but names, sizes and times of change.
    """
    try:
        state = state_of(job.path)
    except OSError:
        return False
    for student in job.students:
        folder = StudentFolder(order.marks, student)
        source, failure = folder.source(), folder.failure()
        if source is None or (source.state, source.tree) != (state, tree_hash()):
            return False
        if failure is not None and failure.status == "fault":
            return False
        if failure is None and not _has_wanted_grade(folder, source, order):
            return False
    return True


def _has_wanted_grade(folder: StudentFolder, source: Source, order: Order) -> bool:
    """Whether there is a grade of an accepted tier, with races if they are asked for."""
    if not order.accepts(source.tier) or not folder.grade_file.exists():
        return False
    return not order.races or not unmeasured(folder.grade(), manifests.load())


def grade_all(
    todo: Sequence[Job],
    order: Order,
    processes: int,
    on_done: Callable[[Job, Status], None],
    start: Callable[..., Grader] = Grader,
) -> None:
    """Grades each job once, `processes` at a time.

    Args:
        on_done: called when a job is done, or is being graded by another machine.
        start: makes a grader from `tiers` and `lanes`; at the top of a module.

    Raises:
        CannotIsolate: the machine does not offer the tier.
        GraderFault: no process could start.
    """
    waiting, kills = list(todo), Counter[Job]()
    begin = partial(start, order.tiers, lanes=1)
    while waiting:
        # What ran when a process was killed runs alone: nobody else could say what killed it.
        suspects = [job for job in waiting if kills[job]]
        batch = suspects[:1] or waiting
        waiting = [job for job in waiting if job not in batch]
        running: dict[Future[Status], Job] = {}
        has_started = False
        try:
            with engine.started(begin, min(processes, len(batch))) as graders:
                graders.submit(_do_nothing).result()
                has_started = True
                while batch or running:
                    while batch and len(running) < processes:
                        future = graders.submit(grade_one, batch[0], order)
                        running[future] = batch.pop(0)
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        status = _status(future, running[future], order)
                        on_done(running.pop(future), status)
        except BrokenProcessPool:
            if not has_started:
                raise GraderFault("no process that grades could start") from None
            waiting += batch
            for job in running.values():
                # What is leased was being graded; the others only waited.
                kills[job] += StudentFolder(order.marks, job.students[0]).is_leased
                if kills[job] < _TRIES:
                    waiting.append(job)
                else:
                    _keep_fault(job, order, f"the grader was killed {_TRIES} times meanwhile")
                    on_done(job, "fault")


def wait_for_others(jobs: Sequence[Job], marks: Path) -> Iterator[Job]:
    """Jobs that other machines grade now, each as soon as it is done or was given up."""
    left = list(jobs)
    while left:
        for job in list(left):
            with _leased(job, marks) as mine:
                if mine is not None:
                    left.remove(job)
                    yield job
        if left:
            time.sleep(_PATIENCE)


def _status(future: Future[Status], job: Job, order: Order) -> Status:
    """How a job ended; an exception is kept as its fault, but for those that end the run."""
    try:
        return future.result()
    except (BrokenProcessPool, CannotIsolate):
        raise
    except Exception as error:  # a mistake of ours in one grading must not end the others
        told = "" if order.is_anonymous else str(error)
        _keep_fault(job, order, told or f"{type(error).__name__}; {_UNTOLD}")
        return "fault"


def _keep_fault(job: Job, order: Order, message: str) -> None:
    with _leased(job, order.marks) as mine:
        if mine is not None:  # else another machine is at it
            source = Source(state="", tree=tree_hash())
            failure = Failure("fault", clean(message))
            for student in job.students:
                StudentFolder(order.marks, student).write_failure(failure, source)


@contextmanager
def _leased(job: Job, marks: Path) -> Iterator[Callable[[], None] | None]:
    """As `StudentFolder.leased`, of all members of a group; renews no more than once a minute."""
    with ExitStack() as stack:
        renewals, last = [], time.monotonic()
        for student in sorted(job.students):
            renewal = stack.enter_context(StudentFolder(marks, student).leased())
            if renewal is None:
                yield None
                return
            renewals.append(renewal)

        def renew() -> None:
            nonlocal last
            if time.monotonic() - last > _RENEWED:
                last = time.monotonic()
                for renewal in renewals:
                    renewal()

        yield renew


# --- in a process of the engine ------------------------------------------------------------------


def _do_nothing(_: Grader) -> None:
    """Work whose end shows that a process has started."""


def grade_one(grader: Grader, job: Job, order: Order) -> Status:
    """Grades a job and keeps the grade, unless it has an accepted one.

    The same files keep their nonce: they were handed in before anybody knew it, and what changes of
    their points is then the tests' doing, not another draw's.

    Raises:
        GraderFault: the grader failed; nothing is kept.
        OSError: what was handed in cannot be looked at; nothing is kept.
    """
    folders = [StudentFolder(order.marks, student) for student in job.students]
    with _leased(job, order.marks) as renew:
        if renew is None:
            return "elsewhere"
        if is_done(job, order):
            return "unchanged"
        manifest, who = grader.manifest, "+".join(job.students)
        source = Source(state=state_of(job.path), tree=tree_hash())
        try:
            selected = stage.read(job.path, manifest.package, manifest.modules)
        except SubmissionError as error:
            if error.errno in _MACHINES:
                raise GraderFault(str(error)) from error
            why = _UNTOLD if order.is_anonymous else printable(str(error))
            for folder in folders:
                folder.write_failure(Failure("refused", why), source)
            return "refused"
        keep_parts(order.marks)
        content = content_hash(selected, manifest.package)
        before = _earlier_grade(folders, content)
        grade = _grade(grader, selected, before, order, renew)
        is_kept = before is not None and grade.checks is before.checks
        is_same = is_kept and before == folders[0].grade()
        status: Status = "unchanged" if is_same else "graded"
        grade = msgspec.structs.replace(grade, submission=who)
        if order.is_anonymous:
            unnamed = ("a file, whose name may tell whose it is",) * len(grade.left_out)
            grade = msgspec.structs.replace(grade, left_out=unnamed)
        source = msgspec.structs.replace(source, tier=grade.isolation.tier)
        for folder in folders:
            folder.write_grade(grade, source)
        return status


def _earlier_grade(folders: Sequence[StudentFolder], content: str) -> Grade | None:
    """The grade of these files that a member of the group has, or had before a fault."""
    for read in (StudentFolder.grade, StudentFolder.previous):
        for grade in map(read, folders):
            if grade and grade.provenance and grade.provenance.submission == content:
                return grade
    return None


def _grade(
    grader: Grader,
    selected: stage.Selected,
    before: Grade | None,
    order: Order,
    renew: Callable[[], None],
) -> Grade:
    """Grades what was read; what still holds of a grading of the same files `before` is kept."""
    manifest = grader.manifest
    nonce = before.nonce if before is not None else current_run(order.marks).nonce

    def run_tests(only: Collection[str] = (), timing: Timing = "skip") -> Grade:
        made = grader.grade(
            selected,
            only=only,
            nonce=nonce,
            timing=timing,
            further_seeds=True,
            on_check=lambda _: renew(),
        )
        if made.faults:
            raise GraderFault("; ".join(made.faults))
        return made

    found = None
    if before is not None and order.accepts(before.isolation.tier):
        found = _up_to_date(before, order.marks, manifest, run_tests)
    found = found or run_tests()
    if order.races and (missing := unmeasured(found, manifest)):
        found = merged(found, run_tests(missing, "require"), manifest) or found
    return found


def _up_to_date(
    before: Grade, marks: Path, manifest: Manifest, run_tests: Callable[[Collection[str]], Grade]
) -> Grade | None:
    """A grade of the same files by today's grader; None if all must run again.

    Where only tests of some exercises have changed since, only these run again. All do if one of
    them needs a device, since its races would be kept, or if the budget was drawn on and races are
    missing: alone they would get time that others had used up.
    """
    assert before.provenance is not None, "its files are known"
    if before.provenance.tree == tree_hash():
        return before
    again = to_rerun(marks, before.provenance.tree)
    if again is None or any(one.needs for one in manifest if one.id in again):
        return None
    if before.budget is not None and before.budget.drawn and unmeasured(before, manifest):
        return None
    return merged(before, run_tests(again), manifest) if again else with_this_tree(before)
