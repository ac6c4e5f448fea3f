"""The files of a submission, as a folder, a zip or a tar lists them: what all three share.

Nothing is unpacked to disk: entries are listed first, and a file is read only when it is needed.
Submissions that are damaged, or larger than any needs to be, are refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
    characters, whatever the submission's files are called.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message[:_MAX_MESSAGE]))


@dataclass(frozen=True)
class Entry:
    """One file of the submission.

    Attributes:
        path: relative to the folder or archive.
        size: in bytes, as the archive states it.
        read: returns its first bytes, as many as are asked for; None if it cannot be read.
        unreadable: why it cannot be read, and what to do; else empty.
    """

    path: PurePosixPath
    size: int
    read: Callable[[int], bytes] | None
    unreadable: str = ""

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
