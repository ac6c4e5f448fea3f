"""The limits of memory and disk that the judge checks from outside a worker.

Most limits are the kernel's own (rlimits, a tmpfs of fixed size). These cover what those do not:
memory that no rlimit counts, and disk where a worker has no file system of its own.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from assignment.manifest import Limits
from grader.isolation import DISK_FILES, DISK_MIB
from grader.judge.failure import SubmissionFailure, WorkerEnded
from grader.judge.process import Process
from grader.results.causes import Cause

_CHECK_SECONDS = 0.05  # at least, between two checks of short calls
_SCAN_MAX_FILES, _SCAN_MAX_DEPTH = 20_000, 50
# Of a disk that is full: an honest test writes less, and may have removed what it could not finish.
_LEAST_ROOM, _LEAST_FILES = 16 * 2**20, 16


class LimitChecker:
    """Checks one worker.

    Args:
        process: its process.
        limits: of its test.
        folders: what it may write, where no file system of its own bounds that.
        unlinked_bytes: measures files without a name, which no folder shows. That takes
            milliseconds: it is called only while the disk has far less room than before.
        uses_device: whether its driver may pin memory for it. The driver's libraries count then,
            too: the limits of such tests leave room for them.
    """

    def __init__(
        self,
        process: Process,
        limits: Limits,
        folders: tuple[Path, ...] = (),
        unlinked_bytes: Callable[[], int] = lambda: 0,
        uses_device: bool = False,
    ) -> None:
        self._process, self._limits, self._folders = process, limits, folders
        self._unlinked_bytes = unlinked_bytes
        self._most_room = _room(folders)  # what an ended worker held may become free later
        self._uses_device = uses_device
        self._memory_before = process.resident(uses_device) or 0
        self._checked = time.monotonic()

    def check_if_due(self) -> None:
        """Checks at most every 50 ms: between calls, which may be too short to be watched."""
        if time.monotonic() - self._checked >= _CHECK_SECONDS:
            with contextlib.suppress(WorkerEnded):  # the next call reports that
                self.check()

    def check(self) -> None:
        """Checks memory and disk.

        Raises:
            SubmissionFailure: the worker holds more than it may.
            WorkerEnded: it has ended.
        """
        resident = self._process.resident(self._uses_device)
        if resident is None:
            raise WorkerEnded
        held = resident - self._memory_before
        if held > self._limits.memory_mib * 2**20:
            raise SubmissionFailure(
                Cause.MEMORY, f"{held // 2**20} MiB held; {self._limits.memory_mib} MiB are allowed"
            )
        if self._folders:
            size, files = disk_usage(*self._folders)
            room = _room(self._folders)
            self._most_room = max(self._most_room, room)
            if self._most_room - room > DISK_MIB * 2**20 // 2:
                size += self._unlinked_bytes()
            if size > DISK_MIB * 2**20 or files > DISK_FILES:
                raise SubmissionFailure(
                    Cause.DISK,
                    f"{size // 2**20} MiB in {files} files; {DISK_MIB} MiB are allowed",
                )
        self._checked = time.monotonic()

    def is_disk_full(self) -> bool:
        """Whether the disk that the worker shares with others has no room, for bytes or files."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                found = os.statvfs(folder)
                files = found.f_favail if found.f_files else _LEAST_FILES  # 0: without a number
                return found.f_bavail * found.f_frsize < _LEAST_ROOM or files < _LEAST_FILES
        return False


def _room(folders: tuple[Path, ...]) -> int:
    """Free bytes of the file system that holds the folders; 0 if there are none."""
    for folder in folders:
        with contextlib.suppress(OSError):
            found = os.statvfs(folder)
            return found.f_bfree * found.f_frsize
    return 0


def disk_usage(*folders: Path) -> tuple[int, int]:
    """Bytes and files below some folders.

    A folder deeper than `_SCAN_MAX_DEPTH` counts as more files than are allowed: a scan of it would
    take longer than it took to make.
    """
    size = files = 0
    todo = [(folder, 0) for folder in folders]
    while todo and files <= _SCAN_MAX_FILES:
        folder, depth = todo.pop()
        with contextlib.suppress(OSError), os.scandir(folder) as found:
            for entry in found:
                files += 1 if depth < _SCAN_MAX_DEPTH else _SCAN_MAX_FILES
                size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    todo.append((Path(entry.path), depth + 1))
    return size, files
