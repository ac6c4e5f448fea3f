"""The files of a submission, as a folder, a zip or a tar lists them: what all three share.

Nothing is unpacked to disk: entries are listed first, and a file is read only when it is needed.
Submissions that are damaged, or larger than any needs to be, are refused. In a folder links are
never followed, devices and pipes never opened. A file there may change between the listing and the
reading: it is opened again from the top, and checked.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from grader.results.text import printable

MAX_BYTES = 2 * 2**20  # of one file
MAX_ARCHIVE = 20 * 2**20  # bytes
MAX_ENTRIES = 20_000  # files, without those in folders that tools create
MAX_LISTED = 50_000  # of everything that is listed: also folders, and what is ignored
ACCEPTED = "a folder, zip or tar (.gz, .bz2 or .xz)"
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".rar", ".7z")
IGNORED_FOLDERS = {
    *(".git", ".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache"),
    *("__MACOSX", ".ipynb_checkpoints"),
}
IS_LINK = "is a link; hand in the file or folder itself"
IS_NO_FILE = "is no regular file"
UNREPORTED_FOLDERS = IGNORED_FOLDERS - {".venv", "venv"}  # not worth a report
_MAX_MESSAGE = 4000  # characters
_MAX_NAME = 200  # characters of a name in a message or a report


class SubmissionError(Exception):
    """A submission that cannot be read.

    The message says what came, what was expected and what to do. It is one line of printable
    characters, whatever the submission's files are called. `errno` is that of an error of the
    system, which may be the machine's and not the submission's; else 0.
    """

    def __init__(self, message: str, errno: int = 0) -> None:
        super().__init__(printable(message[:_MAX_MESSAGE]))
        self.errno = errno


@dataclass(frozen=True)
class Entry:
    """One file of the submission."""

    path: PurePosixPath  # relative to the folder or archive
    size: int  # in bytes, as the archive states it
    read: Callable[[int], bytes] | None  # its first bytes, as many as are asked for
    unreadable: str = ""  # why it cannot be read, and what to do

    @property
    def is_odd(self) -> bool:
        """Whether its name could lead out of the submission."""
        return ".." in self.path.parts or self.path.is_absolute()


class EntryCount:
    """Counts everything that a folder or archive lists, and refuses more than `MAX_LISTED`."""

    def __init__(self, submission: Path) -> None:
        self._submission, self._count = submission, 0

    def add(self, number: int = 1) -> None:
        """Raises SubmissionError if there is too much."""
        self._count += number
        if self._count > MAX_LISTED:
            raise SubmissionError(
                f"{self._submission} lists more than {MAX_LISTED} files and folders; "
                "hand in the package alone"
            )


def printable_name(path: PurePosixPath | str) -> str:
    """The name of a submission's file for people: one line, not too long."""
    return printable(str(path)[:_MAX_NAME])


def check_exists(submission: Path, package: str) -> None:
    """Raises SubmissionError if there is nothing at this path."""
    try:
        exists = submission.exists()
    except (OSError, ValueError) as error:  # no access to a parent folder, or the name is too long
        raise SubmissionError(f"{submission} cannot be opened: {error}") from error
    if not exists:
        raise SubmissionError(
            f"{submission} does not exist; expected {ACCEPTED} that holds {package}/"
        )


def list_entries(entries: Iterator[Entry], submission: Path) -> list[Entry]:
    """All entries except those in folders that tools create; raises SubmissionError.

    Of several entries of one name the last counts, as for every archiver: `tar -u` appends.
    """
    wanted = (e for e in entries if not IGNORED_FOLDERS & set(e.path.parts[:-1]))
    try:
        found = list(itertools.islice(wanted, MAX_ENTRIES + 1))
    except (SubmissionError, MemoryError):
        raise
    except Exception as error:  # tarfile and decompressors raise many types for a damaged file
        raise SubmissionError(f"{submission} cannot be read: {error}") from error
    if len(found) > MAX_ENTRIES:
        raise SubmissionError(f"{submission} holds more than {MAX_ENTRIES} files")
    return list({entry.path: entry for entry in found}.values())


_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # opening a pipe does not wait


def folder_entries(root: Path) -> Iterator[Entry]:
    """The files of a folder, its own before those of its subfolders; raises SubmissionError.

    Links, devices and pipes are listed as unreadable. Folders that tools create are not entered;
    of these only virtual environments are listed.
    """
    count = EntryCount(root)
    folders = [PurePosixPath()]
    while folders:
        here = folders.pop()
        inside: list[PurePosixPath] = []
        files: list[Entry] = []
        for found in _scan(root, here, count):
            path = here / found.name
            is_folder = found.is_dir(follow_symlinks=False)
            if found.name in IGNORED_FOLDERS and (is_folder or found.is_symlink()):
                if found.name not in UNREPORTED_FOLDERS:
                    files.append(Entry(path, 0, None, IS_NO_FILE))
            elif is_folder:
                inside.append(path)
            elif found.is_file(follow_symlinks=False):
                size = found.stat(follow_symlinks=False).st_size
                files.append(Entry(path, size, partial(_read, root, path)))
            else:
                files.append(Entry(path, 0, None, IS_LINK if found.is_symlink() else IS_NO_FILE))
        yield from sorted(files, key=lambda entry: entry.path.name)
        folders += sorted(inside, reverse=True)


def _scan(root: Path, folder: PurePosixPath, count: EntryCount) -> list[os.DirEntry[str]]:
    """What a folder holds, unsorted, each thing counted; raises SubmissionError."""
    found = []
    try:
        with os.scandir(root / folder) as entries:
            for entry in entries:
                count.add()
                found.append(entry)
    except OSError as error:
        shown = root / printable_name(folder)
        raise SubmissionError(f"{shown} cannot be opened: {error.strerror}") from error
    return found


def open_below(
    root: int, path: PurePosixPath, check: Callable[[int], None] = lambda _: None
) -> int:
    """Opens a file or a folder below the descriptor `root`; no part of its path may be a link.

    `check` is given a descriptor of each folder on the way, of the root first.

    Raises:
        OSError: it cannot be opened, or a folder above it is none; and what `check` raises.
    """
    folder = os.dup(root)
    try:
        check(folder)
        for name in path.parts[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
            check(folder)
        return os.open(path.name or ".", _FILE | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _read(root: Path, path: PurePosixPath, limit: int) -> bytes:
    """Reads a file below a folder; raises OSError if it is no regular file any more."""
    folder = os.open(root, _FOLDER)
    try:
        descriptor = open_below(folder, path)
    finally:
        os.close(folder)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is no regular file any more")
        return file.read(limit)
