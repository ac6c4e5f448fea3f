"""Finds the student's package among a submission's files.

Two kinds of folders are candidates: one that has the package's name, at any depth, and one with
loose modules at the top or one level down. The one with the most of the assignment's modules is
the package. What cannot be decided is refused, with what was found where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.judge.entries import ARCHIVE_SUFFIXES, Entry, SubmissionError

_LOOSE_DEPTH = 1  # of a folder that has another name than the package
_STUBS = ("assignment", "stubs")  # every handout has them, for `make reset`
_SHOWN = 8  # names in a message


@dataclass(frozen=True)
class Package:
    """Where the package is, and the other candidates outside of it.

    `modules` says how many of the assignment's modules each of them holds.
    """

    root: PurePosixPath
    others: tuple[PurePosixPath, ...]
    modules: dict[PurePosixPath, int]


def find_package(
    entries: Collection[Entry], package: str, modules: Collection[str], submission: Path
) -> Package:
    """The folder of a submission that is graded.

    Args:
        entries: what the submission holds.
        package: the package's name.
        modules: the modules that the assignment knows.
        submission: what messages call it.

    Raises:
        SubmissionError: no folder is the package, or several may be.
    """
    counts = _count_modules(entries, modules)
    candidates = [f for f in counts if f.name == package or len(f.parts) <= _LOOSE_DEPTH]
    elsewhere = [f for f in counts if f not in candidates and f.parts[-2:] != _STUBS]
    largest = max(elsewhere, key=counts.__getitem__, default=None)
    if not candidates:
        raise SubmissionError(_nothing(entries, package, modules, submission, largest, counts))

    def rank(folder: PurePosixPath) -> tuple[int, bool]:
        return counts[folder], folder.name == package

    best = max(map(rank, candidates))
    first, *tied = [folder for folder in candidates if rank(folder) == best]
    if tied:
        names = " and ".join(_shown(folder) for folder in (first, *tied[: _SHOWN - 1]))
        raise SubmissionError(
            f"{submission} holds the package more than once: {names} have {best[0]} of the "
            f"assignment's {len(modules)} modules each; hand in one of them"
        )
    if largest is not None and counts[largest] > best[0]:
        raise SubmissionError(
            f"{submission} holds {counts[largest]} of the assignment's {len(modules)} modules in "
            f"{_shown(largest)} and {best[0]} in {_shown(first)}; hand in one of these folders, "
            f"named {package}/"
        )
    others = tuple(f for f in candidates if not f.is_relative_to(first) and f.parts)
    return Package(first, others, counts)


def _shown(folder: PurePosixPath) -> str:
    """A folder as messages name it; `./` is the top one."""
    return f"{folder}/"


def _count_modules(
    entries: Collection[Entry], modules: Collection[str]
) -> dict[PurePosixPath, int]:
    """How many of the modules each folder holds; folders without any are left out."""
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


def _nothing(
    entries: Collection[Entry],
    package: str,
    modules: Collection[str],
    submission: Path,
    largest: PurePosixPath | None,
    counts: dict[PurePosixPath, int],
) -> str:
    """No folder is a candidate: what was found instead."""
    some = ", ".join(f"{module}.py" for module in list(modules)[:3])
    message = f"{submission} holds no {package}/ with the assignment's modules ({some}, …); found: "
    if largest is not None:
        return message + (
            f"{counts[largest]} of them in {_shown(largest)}; hand in that folder alone, "
            f"or name it {package}/"
        )
    tops = sorted({entry.path.parts[0] for entry in entries if entry.path.parts})
    message += ", ".join(tops[:_SHOWN]) or "nothing"
    archives = sorted(str(e.path) for e in entries if e.path.suffix.lower() in ARCHIVE_SUFFIXES)
    if archives:
        message += (
            f"; an archive inside a submission is not unpacked ({', '.join(archives[:_SHOWN])}): "
            "hand in the zip or tar itself"
        )
    return message
