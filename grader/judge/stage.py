"""Staging: what comes in is copied to a fresh folder, and only the student's own code of it.

Only regular `.py` files of the package are copied, under caps. Everything else stays out and is
named, so that nobody wonders. A package that cannot be read whole is refused: what is missing from
it would look like a student's zero.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assignment.manifest import VERSION_FILE
from grader.judge.entries import (
    MAX_BYTES,
    Entry,
    SubmissionError,
    check_exists,
    listed,
    opened,
    printable,
)
from grader.judge.locate import Package, find_package

MAX_FILES = 200  # .py files of the package
MAX_TOTAL = 8 * 2**20  # bytes of all of them
MAX_NAME = 200  # bytes of a file's path inside the package
# Where a version of the handout may be read, and as what.
_NAMES_HANDOUT = {
    VERSION_FILE: rb"\A\s*([A-Za-z0-9.+-]{1,40})\s*\Z",
    "assignment/assignment.toml": rb'(?m)^version = "([A-Za-z0-9.+-]{1,40})"\s*$',
}
_MAX_VERSION_FILE = 2**18  # bytes
_NAMED = 50  # how many left-out files are named before the rest is counted


@dataclass(frozen=True)
class Staged:
    """A staged submission: the folder that holds the package, and what was left out.

    `handout` is the version that it says it was made with: for people to read, never to decide by.
    """

    folder: Path
    left_out: tuple[str, ...]
    handout: str | None = None


def stage(submission: Path, destination: Path, package: str, modules: tuple[str, ...]) -> Staged:
    """Copies the package of a submission to `destination/package`.

    Args:
        submission: a folder, a zip or a tar (compressed or not).
        destination: a folder that does not exist yet; after a refusal it still does not.
        package: the package's name.
        modules: the modules an assignment knows, to recognise a package without its folder.

    Raises:
        SubmissionError: there is nothing to grade, or the package cannot be read whole.
    """
    check_exists(submission, package)
    with opened(submission, package) as entries:
        everything = listed(entries, submission)
        found = find_package(everything, package, modules, submission)
        beside = found.root.parent if found.root.name == package else found.root
        handout = _handout_version(everything, beside)
        everything = [entry for entry in everything if entry.path != beside / VERSION_FILE]
        files, left_out = _select(everything, found, submission)
    _write(files, destination / package)
    others = [
        f"{_name(folder)}/ ({found.modules[folder]} of the assignment's {len(modules)} modules; "
        f"{_name(found.root)}/ has {found.modules[found.root]})"
        for folder in found.others
    ]
    left_out = [*others, *left_out]
    if len(left_out) > _NAMED:
        left_out[_NAMED:] = [f"and {len(left_out) - _NAMED} more"]
    return Staged(destination, tuple(left_out), handout)


def _select(
    entries: list[Entry], package: Package, submission: Path
) -> tuple[dict[PurePosixPath, bytes], list[str]]:
    """The package's modules by their path inside it, and what is left out."""
    files: dict[PurePosixPath, bytes] = {}
    left_out: list[str] = []
    total = 0
    seen: set[str] = set()
    outside: Counter[str] = Counter()
    for entry in entries:
        inside = _inside(entry.path, package.root)
        reason = _why_not(entry, inside, seen)
        data = b""
        if not reason and (len(files) >= MAX_FILES or total >= MAX_TOTAL):
            reason = "too large, or one too many"
        if not reason:
            data = _read(entry, submission)
            total += len(data)
            if len(data) > MAX_BYTES or total > MAX_TOTAL:
                reason = "too large, or one too many"
        if reason == "outside the package":
            if entry.path.parent not in package.others:
                outside[_first_part(entry.path, package.root)] += 1
            continue
        if reason:
            if reason != "-":
                left_out.append(f"{_name(entry.path)} ({reason})")
            continue
        assert inside is not None
        seen.add(str(inside).casefold())
        files[inside] = data
    left_out += [
        f"{name} ({count} files outside the package)" if name.endswith("/") else f"{name} (outside)"
        for name, count in outside.items()
    ]
    return files, left_out


def _write(files: dict[PurePosixPath, bytes], target: Path) -> None:
    target.mkdir(parents=True, mode=0o755)
    for name, data in files.items():
        path = target.joinpath(*name.parts)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_bytes(data)
        path.chmod(0o644)
    (target / "__init__.py").touch(mode=0o644)


def _handout_version(entries: list[Entry], folder: PurePosixPath) -> str | None:
    """The version of the handout that a submission names, or None; never a reason to refuse it.

    `make submit` writes it beside the package; where a whole handout was handed in, its manifest
    has it.
    """
    by_path = {entry.path: entry for entry in entries}
    for name, pattern in _NAMES_HANDOUT.items():
        entry = by_path.get(folder / name)
        if entry is None or entry.read is None or entry.size > _MAX_VERSION_FILE:
            continue
        with contextlib.suppress(Exception):  # whatever a damaged archive raises
            if found := re.search(pattern, entry.read()[:_MAX_VERSION_FILE]):
                return found[1].decode()
    return None


def _inside(path: PurePosixPath, root: PurePosixPath) -> PurePosixPath | None:
    try:
        return path.relative_to(root)
    except ValueError:
        return None


def _first_part(path: PurePosixPath, root: PurePosixPath) -> str:
    """What to call a file outside the package: itself, or the folder it shares with others."""
    common = 0
    while path.parts[common : common + 1] == root.parts[common : common + 1] != ():
        common += 1
    name = PurePosixPath(*path.parts[: common + 1])
    return _name(name) + ("/" if len(path.parts) > common + 1 else "")


def _why_not(entry: Entry, inside: PurePosixPath | None, seen: set[str]) -> str:
    """Why an entry stays out: "" if it does not, "-" if nobody needs to know."""
    name = entry.path.name
    if name.endswith(".pyc") or name == ".DS_Store" or name.startswith("._"):  # macOS adds those
        return "-"
    if inside is None or ".." in entry.path.parts or entry.path.is_absolute():
        return "outside the package"
    if entry.read is None and not entry.unreadable:
        return "not a regular file"
    if inside.suffix != ".py" or not all(
        part.isidentifier() for part in (*inside.parts[:-1], inside.stem)
    ):
        return "not a Python module"
    if len(str(inside).encode()) > MAX_NAME:
        return "its name is too long"
    if inside.name == "conftest.py" or inside.name.startswith("test_"):
        return "tests are the grader's own"
    if str(inside).casefold() in seen:
        return "its name stands twice"
    if entry.size > MAX_BYTES:
        return f"larger than {MAX_BYTES // 2**20} MiB"
    return ""


def _read(entry: Entry, submission: Path) -> bytes:
    if entry.unreadable:
        raise SubmissionError(f"{submission}: {entry.path} {entry.unreadable}")
    assert entry.read is not None, "a regular file can be read"
    try:
        return entry.read()
    except SubmissionError:
        raise
    except Exception as error:  # zlib.error, BadZipFile and their like have no common base
        raise SubmissionError(f"{submission}: {entry.path} is damaged: {error}") from error


def _name(path: PurePosixPath) -> str:
    return printable(str(path))[:200]
