"""Staging: reads the student's own code, and nothing else, and writes it to a fresh folder.

Only `.py` files of the package are read. Everything else is left out and reported by name. A
package that cannot be read whole, or is too large, is refused: a module that is missing would look
like one that the student never wrote. A submission that holds nothing but an archive is that
archive.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath

import msgspec

from assignment.manifest import VERSION_FILE
from grader.intake.archives import open_archive, open_entries
from grader.intake.bounded import LimitExceeded, Limits, run_bounded
from grader.intake.entries import (
    MAX_ARCHIVE,
    MAX_BYTES,
    Entry,
    SubmissionError,
    check_exists,
    list_entries,
    printable_name,
)
from grader.intake.locate import Package, find_package, is_archive, names_of_copies
from grader.results.text import printable

MAX_FILES = 200  # .py files of the package
MAX_TOTAL = 8 * 2**20  # bytes of all of them
MAX_NAME = 200  # bytes of a file's path inside the package
# The files that may name the handout's version, with the pattern that finds it.
_VERSION_PATTERNS = {
    VERSION_FILE: rb"\A\s*([A-Za-z0-9.+-]{1,40})\s*\Z",
    "assignment/assignment.toml": rb'(?m)^version = "([A-Za-z0-9.+-]{1,40})"\s*$',
}
_MAX_VERSION_FILE = 2**18  # bytes
# Of reading a submission. The largest archives with honest files take 10 s and 128 MiB.
LIMITS = Limits(cpu_seconds=30, memory=256 * 2**20, wall_seconds=300, answer=2 * MAX_TOTAL)
_MAX_NAMED = 50  # left-out files that are named; the rest is only counted


class Selected(msgspec.Struct, frozen=True, tag=True):
    """What a submission holds that is graded; all but `files` is for people."""

    name: str
    files: dict[str, bytes]  # by path inside the package
    left_out: tuple[str, ...]  # what is not graded, or under another name, with the reason
    handout: str | None  # the version that it claims, which is never the basis of a decision


class _Refused(msgspec.Struct, frozen=True, tag=True):
    """What a SubmissionError says, from the process that reads."""

    message: str
    errno: int = 0


def read(submission: Path, package: str, modules: tuple[str, ...]) -> Selected:
    """Reads what is graded of a submission.

    In a process of its own, with limits on CPU time and memory: few bytes of an archive may take
    hours to read. The assignment's modules identify a package whose folder has another name.

    Raises:
        SubmissionError: there is nothing to grade, or the package cannot be read completely.
        GraderFault: the process that reads it failed otherwise; the submission is not to blame.
    """
    check_exists(submission, package)
    try:
        answer = run_bounded(lambda: _answer(submission, package, modules), LIMITS)
    except LimitExceeded as error:
        raise SubmissionError(
            f"{submission} takes more than {error} to read; hand in the package alone"
        ) from None
    found = msgspec.msgpack.decode(answer, type=Selected | _Refused)
    if isinstance(found, _Refused):
        raise SubmissionError(found.message, found.errno)
    return found


def stage(submission: Path, destination: Path, package: str, modules: tuple[str, ...]) -> Selected:
    """Copies what `read` reads to `destination/package`, a folder that does not exist yet."""
    selected = read(submission, package, modules)
    write(selected, destination / package)
    return selected


def _answer(submission: Path, package: str, modules: tuple[str, ...]) -> bytes:
    found: Selected | _Refused
    try:
        found = select(submission, package, modules)
    except SubmissionError as error:
        found = _Refused(str(error), getattr(error.__cause__, "errno", None) or 0)
    return msgspec.msgpack.encode(found)


def select(submission: Path, package: str, modules: tuple[str, ...]) -> Selected:
    """Finds and reads the package; raises SubmissionError.

    It may be in an archive inside the submission, if that is the only one and no `.py` is beside.
    """
    with open_entries(submission, package) as entries:
        everything = list_entries(entries, submission)
        archives = [e for e in everything if is_archive(e) and not _is_of_macos(e)]
        if len(archives) != 1 or any(entry.path.suffix == ".py" for entry in everything):
            return _select_from(everything, package, modules, submission)
        inner = submission / printable_name(archives[0].path)
        data = _read(archives[0], submission, MAX_ARCHIVE)
    with open_archive(data, inner, package) as entries:
        found = _select_from(list_entries(entries, inner), package, modules, inner)
    return msgspec.structs.replace(found, name=_name_of(submission))


def _select_from(
    everything: list[Entry], package: str, modules: tuple[str, ...], submission: Path
) -> Selected:
    """Finds and reads the package among the files of a folder or an archive."""
    copies = names_of_copies(everything, modules)
    everything = [
        replace(entry, path=entry.path.with_name(copies[entry])) if entry in copies else entry
        for entry in everything
    ]
    found = find_package(everything, package, modules, submission)
    beside = found.root.parent if found.root.name == package else found.root
    handout = _handout_version(everything, beside)
    everything = [entry for entry in everything if entry.path != beside / VERSION_FILE]
    files, outside = _read_package(everything, found, submission)
    left_out = [
        f"{printable_name(entry.path)} (graded as {name})"
        for entry, name in copies.items()
        if entry.path.is_relative_to(found.root)
    ]
    left_out += [
        f"{printable_name(folder)}/ ({found.modules[folder]} of the assignment's {len(modules)} "
        f"modules{', as handed out' if folder in found.untouched else ''}; "
        f"{printable_name(found.root)}/ has {found.modules[found.root]})"
        for folder in found.others
    ]
    left_out += outside
    if len(left_out) > _MAX_NAMED:
        left_out[_MAX_NAMED:] = [f"and {len(left_out) - _MAX_NAMED} more"]
    return Selected(_name_of(submission), files, tuple(left_out), handout)


def _name_of(submission: Path) -> str:
    return printable(submission.name or str(submission))


def _read_package(
    entries: list[Entry], package: Package, submission: Path
) -> tuple[dict[str, bytes], list[str]]:
    """Reads the package's modules: contents by path inside the package, and what is left out."""
    files: dict[str, bytes] = {}
    others = set(package.others)
    left_out: list[str] = []
    total = 0
    outside: Counter[str] = Counter()
    for entry in entries:
        if entry.path.name.endswith(".pyc") or _is_of_macos(entry):
            continue
        if entry.is_odd or not entry.path.is_relative_to(package.root):
            if entry.path.parent not in others:
                outside[_name_outside(entry.path, package.root)] += 1
            continue
        inside = entry.path.relative_to(package.root)
        if reason := _why_left_out(inside):
            left_out.append(f"{printable_name(entry.path)} ({reason})")
        else:
            files[str(inside)] = data = _read(entry, submission, MAX_BYTES)
            total += len(data)
            if len(files) > MAX_FILES or total > MAX_TOTAL:
                raise SubmissionError(
                    f"{submission}: {printable_name(package.root)}/ has more than {MAX_FILES} "
                    f"modules or {MAX_TOTAL // 2**20} MiB of them; hand in your modules alone"
                )
    left_out += [
        f"{name} ({count} files outside the package)" if name.endswith("/") else f"{name} (outside)"
        for name, count in outside.items()
    ]
    return files, left_out


def write(selected: Selected, target: Path) -> None:
    """Writes the package, with an `__init__.py`, into a folder that does not exist yet."""
    target.mkdir(parents=True, mode=0o755)
    for name, data in selected.files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_bytes(data)
        path.chmod(0o644)
    (target / "__init__.py").touch(mode=0o644)


def _handout_version(entries: list[Entry], folder: PurePosixPath) -> str | None:
    """The handout version that a submission names; None if there is none, or it cannot be read.

    `make submit` writes it beside the package; a whole handout has it in its manifest.
    """
    by_path = {entry.path: entry for entry in entries}
    for name, pattern in _VERSION_PATTERNS.items():
        entry = by_path.get(folder / name)
        if entry is None or entry.read is None or entry.size > _MAX_VERSION_FILE:
            continue
        with contextlib.suppress(Exception):  # a damaged archive raises many types
            if found := re.search(pattern, entry.read(_MAX_VERSION_FILE)):
                return found[1].decode()
    return None


def _name_outside(path: PurePosixPath, root: PurePosixPath) -> str:
    """The name under which a file outside the package is reported.

    This is the file itself, or its outermost folder (ending in "/") that does not contain the
    package.
    """
    common = 0
    while path.parts[common : common + 1] == root.parts[common : common + 1] != ():
        common += 1
    name = PurePosixPath(*path.parts[: common + 1])
    return printable_name(name) + ("/" if len(path.parts) > common + 1 else "")


def _is_of_macos(entry: Entry) -> bool:
    return entry.path.name == ".DS_Store" or entry.path.name.startswith("._")


def _why_left_out(inside: PurePosixPath) -> str:
    """Why a file of the package is left out, as all but modules are; "" if it is not."""
    if inside.suffix != ".py" or not all(
        part.isidentifier() for part in (*inside.parts[:-1], inside.stem)
    ):
        return "not a Python module"
    if len(str(inside).encode()) > MAX_NAME:
        return "its name is too long"
    if inside.name == "conftest.py" or inside.name.startswith("test_"):
        return "tests are the grader's own"
    return ""


def _read(entry: Entry, submission: Path, limit: int) -> bytes:
    """Reads a file whole; raises SubmissionError if it has more bytes than `limit`, or claims to.

    If a module were left out, the student would seem never to have written it.
    """
    name = f"{submission}: {printable_name(entry.path)}"
    if entry.read is None:
        raise SubmissionError(f"{name} {entry.unreadable}")
    try:
        data = entry.read(limit + 1) if entry.size <= limit else b""
    except (SubmissionError, MemoryError):
        raise
    except Exception as error:  # zlib.error, BadZipFile and others have no common base
        raise SubmissionError(f"{name} is damaged: {error}") from error
    if max(entry.size, len(data)) > limit:
        raise SubmissionError(f"{name} is larger than {limit // 2**20} MiB")
    return data
