"""Finds the student's package among a submission's files.

Two kinds of folders are candidates: folders with the package's name, at any depth, and folders with
loose modules, at the top or one level down. The candidate with the most of the assignment's modules
is the package. A tie is refused; the message names what was found, and where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.judge.entries import ARCHIVE_SUFFIXES, Entry, SubmissionError, printable_name

_LOOSE_DEPTH = 1  # levels below the top, for a folder without the package's name
_STUBS = ("assignment", "stubs")  # a folder of every handout, for `make reset`
_MAX_NAMES = 8  # names in a message


@dataclass(frozen=True)
class Package:
    """Where the package is.

    Attributes:
        root: the package's folder.
        others: the other candidates that are not inside `root`.
        modules: how many of the assignment's modules each folder holds.
    """

    root: PurePosixPath
    others: tuple[PurePosixPath, ...]
    modules: dict[PurePosixPath, int]


def find_package(
    entries: Collection[Entry], package: str, modules: Collection[str], submission: Path
) -> Package:
    """Chooses the folder of a submission that is graded.

    Args:
        entries: what the submission holds.
        package: the package's name.
        modules: the modules that the assignment knows.
        submission: the submission's path, for messages.

    Raises:
        SubmissionError: no folder can be the package, or several can.
    """
    counts = _count_modules(entries, modules)

    def is_candidate(folder: PurePosixPath) -> bool:
        return folder.name == package or len(folder.parts) <= _LOOSE_DEPTH

    candidates = [f for f in counts if is_candidate(f)]
    elsewhere = [f for f in counts if not is_candidate(f) and f.parts[-2:] != _STUBS]
    largest = max(elsewhere, key=counts.__getitem__, default=None)
    if not candidates:
        raise SubmissionError(
            _not_found_message(entries, package, modules, submission, largest, counts)
        )

    def rank(folder: PurePosixPath) -> tuple[int, bool]:
        return counts[folder], folder.name == package

    best = max(map(rank, candidates))
    first, *tied = [folder for folder in candidates if rank(folder) == best]
    if tied:
        names = " and ".join(_folder_name(folder) for folder in (first, *tied[: _MAX_NAMES - 1]))
        raise SubmissionError(
            f"{submission} holds the package more than once: {names} have {best[0]} of the "
            f"assignment's {len(modules)} modules each; hand in one of them"
        )
    if largest is not None and counts[largest] > best[0]:
        raise SubmissionError(
            f"{submission} holds {counts[largest]} of the assignment's {len(modules)} modules in "
            f"{_folder_name(largest)} and {best[0]} in {_folder_name(first)}; hand in one of these "
            f"folders, named {package}/"
        )
    others = tuple(f for f in candidates if not f.is_relative_to(first) and f.parts)
    return Package(first, others, counts)


def _folder_name(folder: PurePosixPath) -> str:
    """A folder's name in messages; the top folder is `./`."""
    return f"{printable_name(folder)}/"


def _count_modules(
    entries: Collection[Entry], modules: Collection[str]
) -> dict[PurePosixPath, int]:
    """Counts the modules in each folder; folders without any are left out."""
    names = {f"{module}.py" for module in modules}
    found = {
        entry.path
        for entry in entries
        if entry.path.name in names
        and (entry.read is not None or entry.unreadable)
        and ".." not in entry.path.parts
        and not entry.path.is_absolute()
    }
    return dict(Counter(path.parent for path in sorted(found)))


def _not_found_message(
    entries: Collection[Entry],
    package: str,
    modules: Collection[str],
    submission: Path,
    largest: PurePosixPath | None,
    counts: dict[PurePosixPath, int],
) -> str:
    """The message when no folder is a candidate: what was found instead."""
    some = ", ".join(f"{module}.py" for module in list(modules)[:3])
    message = f"{submission} holds no {package}/ with the assignment's modules ({some}, …); found: "
    if largest is not None:
        return message + (
            f"{counts[largest]} of them in {_folder_name(largest)}; hand in that folder alone, "
            f"or name it {package}/"
        )
    tops = sorted({entry.path.parts[0] for entry in entries if entry.path.parts})
    message += ", ".join(map(printable_name, tops[:_MAX_NAMES])) or "nothing"
    archives = sorted(str(e.path) for e in entries if e.path.suffix.lower() in ARCHIVE_SUFFIXES)
    if archives:
        names = ", ".join(map(printable_name, archives[:_MAX_NAMES]))
        message += (
            f"; an archive inside a submission is not unpacked ({names}): "
            "hand in the zip or tar itself"
        )
    return message
