"""Reads what a worker that is gone, or waits, left in its scratch folder: bytes and names.

The judge parses none of it. What must be parsed is read in a worker without the submission.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import PurePosixPath

from assignment.calls.file_calls import MAX_CONTENT, Seen
from grader.causes import Cause
from grader.faults import FromSubmission, GraderFault, SubmissionFailure, raised_by_submission
from grader.intake.entries import open_below
from grader.wire import frames

_MOST_SEEN = 2**30  # bytes, in all moments of a call
# Errors that what a worker left explains: a name that is missing or too long, a link, a socket, a
# file in place of a folder, a folder that is closed.
_LEFT = {errno.ENOENT, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO, errno.ENOTDIR, errno.EACCES}


class LeftFiles:
    """The files below one folder, as their owner might read them.

    Its methods but `seen` are those readers of `assignment/calls/readers.py` that parse nothing,
    and raise what these raise, and SubmissionFailure for more than a worker may send.
    `folder` is a descriptor; `path`, the folder's path as the worker saw it and tests name it.
    """

    def __init__(self, folder: int, path: str) -> None:
        self._folder, self._path = folder, PurePosixPath(path)
        self._room = _MOST_SEEN

    def seen(self, path: str) -> Seen | None:
        """A regular file now, up to `MAX_CONTENT` bytes; None if there is none its owner can read.

        Raises:
            SubmissionFailure: all that was seen until now is more than any correct save needs.
        """
        try:
            descriptor = self._open(path, as_folder=False)
        except OSError as error:
            if isinstance(error, FromSubmission):
                return None
            raise GraderFault(f"what a worker left could not be read: {error!r}") from error
        inode = os.fstat(descriptor).st_ino
        content = _content(descriptor, min(MAX_CONTENT, self._room))
        self._room -= len(content)
        if self._room <= 0:
            raise SubmissionFailure(Cause.DISK, "more changes to files than any correct save needs")
        return Seen(inode, content)

    def file_bytes(self, path: str, limit: int = 2**20) -> bytes:
        return _content(self._open(path, as_folder=False), limit)

    def files_bytes(self, paths: Sequence[str], limit: int = 2**24) -> list[bytes]:
        found = []
        room = frames.DEFAULT_CAPS.size  # as much as a worker may send
        for path in paths:
            found.append(self.file_bytes(path, limit))
            room -= len(found[-1])
            if room < 0:
                raise SubmissionFailure(Cause.TOO_LARGE, "the files hold more than may be read")
        return found

    def names_in(self, folder: str) -> list[str]:
        descriptor = self._open(folder, as_folder=True)
        try:
            with os.scandir(descriptor) as entries:
                names = [entry.name for entry in islice(entries, frames.DEFAULT_CAPS.items + 1)]
        finally:
            os.close(descriptor)
        if len(names) > frames.DEFAULT_CAPS.items:
            raise SubmissionFailure(Cause.TOO_LARGE, "more files than may be listed")
        if any("\udc80" <= letter <= "\udcff" for name in names for letter in name):
            raise SubmissionFailure(Cause.NOT_PLAIN_DATA, "a file's name is not UTF-8")
        return sorted(names)

    def _open(self, path: str, as_folder: bool) -> int:
        """Opens a path; an error that its owner would meet is FromSubmission, others are not."""
        below = PurePosixPath(path)
        if not below.is_relative_to(self._path) or ".." in below.parts:
            raise GraderFault(f"a test asked for {path}, which is not below {self._path}")
        try:
            descriptor = open_below(self._folder, below.relative_to(self._path), _check_entry)
        except OSError as error:
            if error.errno not in _LEFT or self._is_machines_refusal(error, below, as_folder):
                raise
            raise _submissions_error(error.errno or 0, path) from None
        found = os.fstat(descriptor)
        problem = _owners_errno(found.st_mode, as_folder)
        if found.st_uid != os.fstat(self._folder).st_uid:  # no worker can make such a file
            problem = errno.EACCES
        if problem:
            os.close(descriptor)
            raise _submissions_error(problem, path)
        return descriptor

    def _is_machines_refusal(self, error: OSError, below: PurePosixPath, as_folder: bool) -> bool:
        """Whether the machine refused this process what the file's owner could read."""
        if not isinstance(error, PermissionError) or isinstance(error, _ClosedFolder):
            return False
        inside = str(below.relative_to(self._path))
        mode = os.stat(inside, dir_fd=self._folder, follow_symlinks=False).st_mode
        return not _owners_errno(mode, as_folder)


def _content(descriptor: int, limit: int) -> bytes:
    """The first bytes of a file, which is closed afterwards."""
    with os.fdopen(descriptor, "rb", 0) as file:
        content = bytearray()
        while len(content) < limit and (part := file.read(limit - len(content))):
            content += part
        return bytes(content)


class _ClosedFolder(PermissionError):
    """The owner of a folder, the worker, might not enter it."""


def _owners_errno(mode: int, as_folder: bool) -> int:
    """The error that the owner of a file or a folder would meet when reading it; 0 for none."""
    if stat.S_ISDIR(mode) != as_folder:
        return errno.ENOTDIR if as_folder else errno.EISDIR
    if not as_folder and not stat.S_ISREG(mode):
        return errno.EINVAL
    return 0 if mode & stat.S_IRUSR else errno.EACCES


def _submissions_error(number: int, path: str) -> Exception:
    """The exception, as the submission's, for an error in what it left."""
    name = type(OSError(number, "")).__name__
    return raised_by_submission(name, f"{path}: {os.strerror(number)}")


def _check_entry(folder: int) -> None:
    """Raises _ClosedFolder. Root could enter, and in some tiers the judge is root."""
    if not os.fstat(folder).st_mode & stat.S_IXUSR:
        raise _ClosedFolder(errno.EACCES, os.strerror(errno.EACCES))


PARSE_NOTHING = ("file_bytes", "files_bytes", "names_in")
