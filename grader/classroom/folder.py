"""The folder of a class: what was graded, and what staff wrote. Everything else is derived from it.

    run.json                         the nonce of this run, which all its gradings share
    students/ID/source.json          what was handed in, as it was found last
    students/ID/grade.json.gz        the record of its grading; it is there only whole
    students/ID/previous.json.gz     the record of the grading before
    students/ID/failure.json         why there is none: refused, or a fault of the grader

Machines may share the folder: whoever grades a student holds a lease, which is a file.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from grader.results.record import Grade, to_json
from grader.results.write import write_atomically

T = TypeVar("T")

_LEASE_SECONDS = 600.0  # without a renewal, which comes with each test
_STAFF_ONLY = 0o600


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run over the class, which may take several commands. Its nonce has left no machine.

    Attributes:
        nonce: of every grading.
        published: whether feedback of it has left; the next grading then begins a new run.
    """

    nonce: str
    published: bool = False


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What was handed in, as it was found last.

    Attributes:
        path: where, for people.
        state: the hash of names, sizes and times of change.
        tree: the hash of the grader that looked at it.
    """

    path: str
    state: str
    tree: str


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
        return _read(self._source, Source)

    def failure(self) -> Failure | None:
        """Why there is no grade, if one was tried for and did not come."""
        return _read(self._failure, Failure)

    def grade(self) -> Grade | None:
        """The record of the last grading; None if there is none."""
        return _read_grade(self.grade_file)

    def previous(self) -> Grade | None:
        """The record of the grading before."""
        return _read_grade(self._previous)

    def write_grade(self, grade: Grade, source: Source) -> None:
        """Keeps a grade, in place of a failure or of an earlier one, which becomes `previous`."""
        self._source.unlink(missing_ok=True)  # until it is there, nothing is done
        with suppress(FileNotFoundError):
            self.grade_file.rename(self._previous)
        self._write(self.grade_file, gzip.compress(to_json(grade)))
        self._failure.unlink(missing_ok=True)
        self._write(self._source, msgspec.json.encode(source))

    def write_source(self, source: Source) -> None:
        """Notes that the grade is of what was found now."""
        self._write(self._source, msgspec.json.encode(source))

    def write_failure(self, failure: Failure, source: Source) -> None:
        """Keeps why there is no grade, in place of an earlier one."""
        self._source.unlink(missing_ok=True)
        self.grade_file.unlink(missing_ok=True)
        self._write(self._failure, msgspec.json.encode(failure))
        self._write(self._source, msgspec.json.encode(source))

    def _write(self, path: Path, data: bytes) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data, _STAFF_ONLY)

    @contextmanager
    def leased(self) -> Iterator[Callable[[], None] | None]:
        """Keeps others from grading this student meanwhile, on any machine; yields its renewal.

        None if another one grades them now. A lease that its owner has not renewed for ten minutes
        is taken over, and at once where the owner ran on this machine and is gone.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if not self._take():
            yield None
            return
        try:
            yield partial(os.utime, self._lease)
        finally:
            self._lease.unlink(missing_ok=True)

    def _take(self) -> bool:
        mine = _Owner(place=_place(), pid=os.getpid())
        for _ in range(2):
            with suppress(FileExistsError):
                flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
                with os.fdopen(os.open(self._lease, flags, _STAFF_ONLY), "wb") as file:
                    file.write(msgspec.json.encode(mine))
                return True
            if not self._is_stale():
                return False
            # Only one of several who find it stale can rename it.
            gone = self._lease.with_name(f"lease.{secrets.token_hex(8)}")
            with suppress(FileNotFoundError):
                self._lease.rename(gone)
                gone.unlink()
        return False

    def _is_stale(self) -> bool:
        probe = self.path / f"now.{secrets.token_hex(8)}"
        try:
            probe.touch()  # the clock of the file system, which all machines share
            age = probe.stat().st_mtime - self._lease.stat().st_mtime
            with suppress(msgspec.DecodeError):  # one that is just being written
                owner = msgspec.json.decode(self._lease.read_bytes(), type=_Owner)
                if owner.place == _place() and not _is_alive(owner.pid):
                    return True
            return age > _LEASE_SECONDS
        except FileNotFoundError:
            return True
        finally:
            probe.unlink(missing_ok=True)


class _Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a lease: a process of a machine, or of a container on it, since it started."""

    place: str
    pid: int


def _is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(") ")[2][0] not in "ZX"  # else only its parent has not noticed yet


def _place() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {Path('/proc/self/ns/pid').readlink()}"


def current_run(marks: Path) -> Run:
    """The run that goes on; a new one if there is none, or the last was published."""
    path = marks / "run.json"
    run = _read(path, Run)
    if run is None or run.published:
        marks.mkdir(parents=True, exist_ok=True)
        run = Run(nonce=secrets.token_hex(16))
        write_atomically(path, msgspec.json.encode(run), _STAFF_ONLY)
    return run


def end_run(marks: Path) -> None:
    """Notes that feedback of the current run leaves: its nonce is used no more."""
    run = msgspec.structs.replace(current_run(marks), published=True)
    write_atomically(marks / "run.json", msgspec.json.encode(run), _STAFF_ONLY)


def state_of(path: Path) -> str:
    """The hash of a file's or folder's names, sizes and times of change: no content is read."""
    found = hashlib.sha256()
    for place in sorted([path, *path.rglob("*")] if path.is_dir() else [path]):
        status = place.lstat()
        line = f"{place.relative_to(path)}\0{status.st_size}\0{status.st_mtime_ns}\0"
        found.update(line.encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _read_grade(path: Path) -> Grade | None:
    with suppress(FileNotFoundError):
        return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=Grade)
    return None


def _read(path: Path, kind: type[T]) -> T | None:
    with suppress(FileNotFoundError):
        return msgspec.json.decode(path.read_bytes(), type=kind)
    return None
