"""The folder of a class: what was graded, and what staff wrote. Everything else is derived from it.

    run-N.json                       the nonce of the N-th run, which its new gradings share
    students/ID/source.json          what was handed in, as it was found last
    students/ID/grade.json.gz        the record of its grading; it is there only whole
    students/ID/previous.json.gz     the record of the grading before
    students/ID/failure.json         why there is none: refused, or a fault of the grader
    shown.json                       what the tables have shown last
    published.csv                    the marks that left last
    graders/HASH.json                the grader that gave grades, to see later what has changed

Machines may share the folder: whoever grades a student holds a lease, which is a file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from grader.intake.entries import IGNORED_FOLDERS, MAX_LISTED
from grader.results.record import Grade, from_json, to_json
from grader.results.write import STAFF_ONLY, write_atomically

T = TypeVar("T")

_LEASE_SECONDS = 600.0  # without a renewal, which comes with a test each minute
_MAX_PATH = 4095 - 256  # bytes of a folder's path: whatever is in it still has one


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run over the class, which may take several commands. Its nonce has left no machine."""

    nonce: str  # of every grading; one of the same files again keeps its own
    published: bool = False  # feedback of it has left: the next grading begins a new run


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What was handed in, as it was found last."""

    state: str  # the hash of names, sizes and times of change
    tree: str  # the hash of the grader that looked at it
    tier: str = ""  # in which it ran; "" if it did not


class Failure(msgspec.Struct, frozen=True):
    """Why there is no grade."""

    status: Literal["refused", "fault"]
    message: str


class StudentFolder:
    """What is known of one student."""

    def __init__(self, marks: Path, student: str) -> None:
        self.path = marks / "students" / student
        self.grade_file = self.path / "grade.json.gz"
        self._source, self._failure = self.path / "source.json", self.path / "failure.json"
        self._previous, self._lease = self.path / "previous.json.gz", self.path / "lease"

    def source(self) -> Source | None:
        """What was handed in when it was looked at last."""
        return read_json(self._source, Source)

    def failure(self) -> Failure | None:
        """Why there is no grade, if one was tried for and did not come."""
        return read_json(self._failure, Failure)

    def grade(self) -> Grade | None:
        """The record of the last grading; None if there is none."""
        return read_grade(self.grade_file)

    def previous(self) -> Grade | None:
        """The record of the grading before."""
        return read_grade(self._previous)

    def write_grade(self, grade: Grade, source: Source) -> None:
        """Keeps a grade, in place of a failure or of an earlier one, which becomes `previous`."""
        self._source.unlink(missing_ok=True)  # until it is there, nothing is done
        self._failure.unlink(missing_ok=True)
        before = self.grade()
        if before is None or _results(before) != _results(grade):
            self._put_away()  # else there is nothing to compare: what is `previous` stays
        self._write(self.grade_file, gzip.compress(to_json(grade)))
        self._write(self._source, msgspec.json.encode(source))

    def write_failure(self, failure: Failure, source: Source) -> None:
        """Keeps why there is no grade, in place of an earlier one, which becomes `previous`."""
        self._source.unlink(missing_ok=True)
        self._put_away()
        self._write(self._failure, msgspec.json.encode(failure))
        self._write(self._source, msgspec.json.encode(source))

    def _put_away(self) -> None:
        with suppress(FileNotFoundError):
            self.grade_file.rename(self._previous)

    def _write(self, path: Path, data: bytes) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)

    @property
    def is_leased(self) -> bool:
        """Whether somebody grades this student, or did when they were killed."""
        return self._lease.exists()

    @contextmanager
    def leased(self) -> Iterator[Callable[[], None] | None]:
        """Keeps others from grading this student meanwhile, on any machine; yields its renewal.

        None if another one grades them now. A lease that its owner has not renewed for ten minutes
        is taken over, and at once where the owner ran on this machine and is gone.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        mine = _Owner(
            place=_place(), pid=os.getpid(), begun=_begun(os.getpid()), token=secrets.token_hex(8)
        )
        if not self._take(mine):
            yield None
            return
        try:
            yield partial(self._renew, mine)
        finally:
            if self._owner() == mine:
                self._lease.unlink(missing_ok=True)

    def _renew(self, mine: _Owner) -> None:
        if self._owner() == mine:
            with suppress(OSError):
                os.utime(self._lease)

    def _take(self, mine: _Owner) -> bool:
        new = self._lease.with_name(f"lease.{mine.token}")
        new.write_bytes(msgspec.json.encode(mine))
        new.chmod(STAFF_ONLY)
        try:
            for _ in range(2):
                with suppress(FileExistsError):
                    os.link(new, self._lease)  # at no time is there one without its owner
                    return True
                holder = self._owner()
                if not self._is_stale(holder):
                    return False
                moved = self._lease.with_name(f"lease.{secrets.token_hex(8)}")
                with suppress(FileNotFoundError):
                    self._lease.rename(moved)
                    if read_json(moved, _Owner) != holder:  # another one was quicker: it is theirs
                        with suppress(FileExistsError):
                            os.link(moved, self._lease)
                        moved.unlink()
                        return False
                    moved.unlink()
            return False
        finally:
            new.unlink()

    def _owner(self) -> _Owner | None:
        return read_json(self._lease, _Owner)

    def _is_stale(self, owner: _Owner | None) -> bool:
        if owner is not None and owner.place == _place() and _begun(owner.pid) != owner.begun:
            return True  # gone, or another process has its number by now
        probe = self.path / f"now.{secrets.token_hex(8)}"
        try:
            probe.touch()  # the clock of the file system, which all machines share
            return probe.stat().st_mtime - self._lease.stat().st_mtime > _LEASE_SECONDS
        except FileNotFoundError:
            return True
        finally:
            probe.unlink(missing_ok=True)


class _Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a lease: a process of a machine, or of a container on it, since it started."""

    place: str
    pid: int
    begun: str
    token: str


def _begun(pid: int) -> str:
    """When a process began, in ticks since the machine did; "" if it has ended."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return ""
    return "" if state in "ZX" else fields[18]  # a zombie's parent has not noticed yet


def _place() -> str:
    """In which a pid means one process: this boot of the machine, and the namespace of its pids."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {Path('/proc/self/ns/pid').readlink()}"


def current_run(marks: Path) -> Run:
    """The last run; a new one if there is none, or the last was published."""
    marks.mkdir(mode=0o700, parents=True, exist_ok=True)
    number, run = _last_run(marks)
    while run is None or run.published:
        new = marks / f"new.{secrets.token_hex(8)}"
        new.write_bytes(msgspec.json.encode(Run(nonce=secrets.token_hex(16))))
        new.chmod(STAFF_ONLY)
        with suppress(FileExistsError):  # of several machines that begin, one names it
            os.link(new, _run_file(marks, number + 1))
        new.unlink()
        number, run = _last_run(marks)
    return run


def end_run(marks: Path) -> None:
    """Notes that feedback of the current run leaves: its nonce is used for no other files."""
    run = msgspec.structs.replace(current_run(marks), published=True)
    number, _ = _last_run(marks)
    write_atomically(_run_file(marks, number), msgspec.json.encode(run))


def _last_run(marks: Path) -> tuple[int, Run | None]:
    """The number of the last run, 0 if there is none, and the run."""
    numbers = (path.stem.removeprefix("run-") for path in marks.glob("run-*.json"))
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)
    return last, read_json(_run_file(marks, last), Run)


def _run_file(marks: Path, number: int) -> Path:
    return marks / f"run-{number}.json"


def known_students(marks: Path) -> set[str]:
    """The ids of all students of whom the folder knows something."""
    folder = marks / "students"
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def _results(grade: Grade) -> list[object]:
    """What another grading of the same files and tests repeats, which its seconds are not."""
    checks = [(check.test, check.state, check.points) for check in grade.checks]
    return [checks, [(one.id, one.points, one.max_points, one.measured) for one in grade.exercises]]


def state_of(path: Path) -> str:
    """A hash of a submission's names, sizes and times of change; no content is read.

    A folder with too much to list, which cannot be graded, always has the same.
    """
    digest = hashlib.sha256()
    folders, count = [(str(path), path.name)] if path.is_dir() else [], 0
    if not folders:
        _add_file(digest, path.name, path.stat())
    while folders:
        folder, name = folders.pop()
        if len(os.fsencode(folder)) > _MAX_PATH:
            continue  # nobody reads what is below
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
        for entry in entries:
            inside = f"{name}/{entry.name}"
            _add_file(digest, inside, entry.stat(follow_symlinks=False))
            if entry.is_dir(follow_symlinks=False) and entry.name not in IGNORED_FOLDERS:
                folders.append((entry.path, inside))
        count += len(entries)
        if count > MAX_LISTED:
            return "too much"
    return digest.hexdigest()


def _add_file(digest: hashlib._Hash, name: str, status: os.stat_result) -> None:
    line = f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"
    digest.update(line.encode("utf-8", "surrogateescape"))


def read_grade(path: Path) -> Grade | None:
    """The record in a file, gzipped or not, or in a folder's `grade.json`; None if it is none.

    A record of another version of the grader is none, too.
    """
    if path.is_dir():
        path = next(path.glob("grade.json*"), path)
    with suppress(OSError, EOFError, zlib.error, msgspec.DecodeError):
        data = path.read_bytes()
        packed = data.startswith(b"\x1f\x8b")
        return from_json(gzip.decompress(data) if packed else data)
    return None


def read_json(path: Path, kind: type[T]) -> T | None:
    """What a file of this folder holds; None if there is none, or another version's."""
    with suppress(FileNotFoundError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=kind)
    return None
