"""Finds the student's package among a submission's files.

Two kinds of folders are candidates: folders with the package's name, at any depth, and folders with
loose modules, at the top or one level down. The candidate with the most of the assignment's modules
is the package; one that is as it was handed out counts only if all are. A tie of different copies
is refused; the message names what was found, and where.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.intake.entries import (
    ARCHIVE_SUFFIXES,
    MAX_BYTES,
    Entry,
    SubmissionError,
    printable_name,
)

_LOOSE_DEPTH = 1  # levels below the top, for a folder without the package's name
_STUBS = ("assignment", "stubs")  # a folder of every handout, for `make reset`
# How browsers and systems name a second copy of a file, and Canvas a file of a student's.
_COPY = re.compile(r"(?:[^_]+_(?:LATE_)?\d+_\d+_)?(?P<name>\w+?)(?: ?\(\d+\)|-\d+| copy)?\.py")
_MAX_NAMES = 8  # names in a message


@dataclass(frozen=True)
class Package:
    """Where the package is."""

    root: PurePosixPath
    others: tuple[PurePosixPath, ...]  # candidates that are not inside `root`
    modules: dict[PurePosixPath, int]  # how many of the assignment's each folder holds
    untouched: frozenset[PurePosixPath]  # candidates as they were handed out, if that can be seen


def names_of_copies(entries: Collection[Entry], modules: Collection[str]) -> dict[Entry, str]:
    """The name to grade a file under: `dtypes.py` for `dtypes (1).py`, say.

    Only for a file that is the one copy in its folder, where the folder lacks the module itself.
    """
    names = {f"{module}.py" for module in modules}
    there = {entry.path for entry in entries}
    copies: dict[PurePosixPath, list[Entry]] = defaultdict(list)
    for entry in entries:
        found = _COPY.fullmatch(entry.path.name)
        if found and (name := f"{found['name']}.py") in names:
            copies[entry.path.with_name(name)].append(entry)
    return {
        copy: path.name for path, (copy, *more) in copies.items() if not more and path not in there
    }


def find_package(
    entries: Collection[Entry], package: str, modules: Collection[str], submission: Path
) -> Package:
    """Chooses the folder that is graded; `submission` is for messages.

    Folders that are as handed out count only if all are; then the one with most modules wins.

    Raises:
        SubmissionError: no folder can be the package, several that differ can, or one with
            another name has more modules.
    """
    modules_in = _modules(entries, modules)
    counts = {folder: len(inside) for folder, inside in modules_in.items()}

    def is_candidate(folder: PurePosixPath) -> bool:
        return folder.name == package or len(folder.parts) <= _LOOSE_DEPTH

    candidates = [f for f in counts if is_candidate(f)]
    elsewhere = [f for f in counts if not is_candidate(f) and f.parts[-2:] != _STUBS]
    rival = max(elsewhere, key=counts.__getitem__, default=None)
    if not candidates:
        raise SubmissionError(
            _not_found_message(entries, package, modules, submission, rival, counts)
        )

    def rank(folder: PurePosixPath) -> tuple[int, bool]:
        return counts[folder], folder.name == package

    untouched = frozenset[PurePosixPath]()
    if len(candidates) > 1:
        stubs = set(_digests(e for e in entries if e.path.parts[-3:-1] == _STUBS))
        untouched = frozenset(
            f for f in candidates if stubs and stubs.issuperset(_digests(modules_in[f]))
        )
        if untouched < set(candidates):
            candidates = [folder for folder in candidates if folder not in untouched]
    best = max(map(rank, candidates))
    first, *tied = [folder for folder in candidates if rank(folder) == best]
    if tied and len({frozenset(_digests(modules_in[folder])) for folder in (first, *tied)}) > 1:
        names = " and ".join(_folder_name(folder) for folder in (first, *tied[: _MAX_NAMES - 1]))
        raise SubmissionError(
            f"{submission} holds the package more than once: {names} have {best[0]} of the "
            f"assignment's {len(modules)} modules each; hand in one of them"
        )
    if rival is not None and counts[rival] > best[0]:
        raise SubmissionError(
            f"{submission} holds {counts[rival]} of the assignment's {len(modules)} modules in "
            f"{_folder_name(rival)} and {best[0]} in {_folder_name(first)}; hand in one of these "
            f"folders, named {package}/"
        )
    others = tuple(f for f in counts if is_candidate(f) and not f.is_relative_to(first) and f.parts)
    return Package(first, others, counts, untouched)


def _folder_name(folder: PurePosixPath) -> str:
    """A folder's name in messages; the top folder is `./`."""
    return f"{printable_name(folder)}/"


def _modules(
    entries: Collection[Entry], modules: Collection[str]
) -> dict[PurePosixPath, list[Entry]]:
    """The modules in each folder; folders without any are left out."""
    names = {f"{module}.py" for module in modules}
    found: dict[PurePosixPath, list[Entry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.path):
        if entry.path.name in names and not entry.is_odd:
            found[entry.path.parent].append(entry)
    return dict(found)


def _digests(entries: Iterable[Entry]) -> Iterator[tuple[str, bytes]]:
    """Names and hashes of files; what cannot be read has one of its own."""
    for entry in entries:
        content = str(entry.path).encode()
        with contextlib.suppress(Exception):  # a damaged archive raises many types
            content = entry.read(MAX_BYTES + 1) if entry.read else content
        yield entry.path.name, hashlib.sha256(content).digest()


def _not_found_message(
    entries: Collection[Entry],
    package: str,
    modules: Collection[str],
    submission: Path,
    rival: PurePosixPath | None,
    counts: dict[PurePosixPath, int],
) -> str:
    """The message when no folder is a candidate: what was found instead."""
    some = ", ".join(f"{module}.py" for module in list(modules)[:3])
    message = f"{submission} holds no {package}/ with the assignment's modules ({some}, …); found: "
    if rival is not None:
        return message + (
            f"{counts[rival]} of them in {_folder_name(rival)}; hand in that folder alone, "
            f"or name it {package}/"
        )
    tops = sorted({entry.path.parts[0] for entry in entries if entry.path.parts})
    message += ", ".join(map(printable_name, tops[:_MAX_NAMES])) or "nothing"
    for entry in entries:
        if entry.path.name == package and entry.unreadable:
            return f"{message}; {printable_name(entry.path)} {entry.unreadable}"
    if archives := [entry for entry in entries if is_archive(entry)]:
        names = ", ".join(sorted(printable_name(e.path) for e in archives)[:_MAX_NAMES])
        message += (
            f"; archives beside other files are not unpacked ({names}): hand in one of them alone"
        )
    return message


def is_archive(entry: Entry) -> bool:
    """Whether a file's name is an archive's."""
    return entry.path.suffix.lower() in ARCHIVE_SUFFIXES
