"""Staging: what comes in is copied to a fresh folder, and only the student's own code of it.

A folder, zip or tar; the package may lie one level down. Only regular `.py` files of the package
are copied, under caps. Everything else stays out and is named, so that nobody wonders.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import itertools
import lzma
import os
import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from assignment.manifest import VERSION_FILE

MAX_FILES = 200  # .py files of the package
MAX_BYTES = 2 * 2**20  # of one file, and
MAX_TOTAL = 8 * 2**20  # of all of them
MAX_ENTRIES = 20_000  # looked at in an archive or folder
MAX_ARCHIVE = 20 * 2**20  # its list of entries is read before they can be counted
MAX_UNPACKED = 512 * 2**20  # of a compressed tar, which is unpacked whole to be listed
MAX_NAME = 200  # bytes of a file's path inside the package
_MAX_READ = 16 * 2**20  # tarfile reads a header's announced length at once, whatever it is
# Where a version of the handout may be read, and as what.
_NAMES_HANDOUT = {
    VERSION_FILE: rb"\A\s*([A-Za-z0-9.+-]{1,40})\s*\Z",
    "assignment/assignment.toml": rb'(?m)^version = "([A-Za-z0-9.+-]{1,40})"\s*$',
}
_MAX_VERSION_FILE = 2**18  # bytes
_NAMED = 50  # how many left-out files are named before the rest is counted
_IGNORED = {".git", ".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache", "__MACOSX"}


class SubmissionError(Exception):
    """A submission that cannot be read; the message says what came and what is expected."""


@dataclass(frozen=True)
class Staged:
    """A staged submission: the folder that holds the package, and what was left out.

    `handout` is the version that it says it was made with: for people to read, never to decide by.
    """

    folder: Path
    left_out: tuple[str, ...]
    handout: str | None = None


@dataclass(frozen=True)
class _Entry:
    """One thing in the submission; `read` is None for what is no regular file."""

    path: PurePosixPath
    size: int
    read: Callable[[], bytes] | None


def stage(submission: Path, destination: Path, package: str, modules: tuple[str, ...]) -> Staged:
    """Copies the package of a submission to `destination/package`.

    Args:
        submission: a folder, a zip or a tar (compressed or not).
        destination: a folder that does not exist yet.
        package: the package's name.
        modules: the modules an assignment knows, to recognise a package without its folder.

    Raises:
        SubmissionError: there is nothing to grade.
    """
    if not submission.exists():
        raise SubmissionError(
            f"{submission} does not exist; expected a folder, zip or tar that holds {package}/"
        )
    with _opened(submission) as entries:
        return _copy(_listed(entries, submission), destination, package, modules, submission)


class _opened:  # noqa: N801 - used like a function
    """The entries of a folder or archive, open while they are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.archive: zipfile.ZipFile | tarfile.TarFile | None = None
        self.unpacked: _Unpacked | None = None

    def __enter__(self) -> Iterator[_Entry]:
        path = self.path
        if path.is_dir():
            return _folder_entries(path)
        if path.stat().st_size == 0:
            raise SubmissionError(f"{path} is empty; expected a zip or tar of the package")
        if path.stat().st_size > MAX_ARCHIVE:
            raise SubmissionError(
                f"{path} is larger than {MAX_ARCHIVE // 2**20} MiB; hand in the package alone"
            )
        try:
            if zipfile.is_zipfile(path):
                self.archive = zipfile.ZipFile(path)
                return _zip_entries(self.archive)
        except Exception as error:  # whatever zipfile meets in a damaged file
            raise SubmissionError(f"{path} cannot be opened: {error}") from error
        self.unpacked = _Unpacked(path)
        try:
            archive = tarfile.TarFile(fileobj=self.unpacked)  # type: ignore[arg-type]
        except SubmissionError:
            self.unpacked.close()
            raise
        except Exception as error:  # whatever tarfile and the decompressors meet
            self.unpacked.close()
            raise SubmissionError(
                f"{path} is neither a folder nor a readable zip or tar: {error}"
            ) from error
        self.archive = archive
        return _tar_entries(archive)

    def __exit__(self, *_: object) -> None:
        if self.archive is not None:
            self.archive.close()
        if self.unpacked is not None:
            self.unpacked.close()


class _Unpacked:
    """A tar's own bytes, for tarfile to read: a few kilobytes may unpack to terabytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            magic = file.read(6)
        self._file: Any
        if magic.startswith(b"\x1f\x8b"):
            self._file = gzip.GzipFile(path)
        elif magic.startswith(b"BZh"):
            self._file = bz2.BZ2File(path)
        elif magic == b"\xfd7zXZ\0":
            self._file = lzma.LZMAFile(path)  # noqa: SIM115 - closed in close()
        else:
            self._file = path.open("rb")

    def read(self, size: int) -> bytes:
        self._check(self.tell() + size, size)
        data: bytes = self._file.read(size)
        return data

    def seek(self, position: int) -> None:
        self._check(position, 0)
        self._file.seek(position)

    def tell(self) -> int:
        position: int = self._file.tell()
        return position

    def close(self) -> None:
        self._file.close()

    def _check(self, end: int, size: int) -> None:
        if end > MAX_UNPACKED + _MAX_READ or size > _MAX_READ:
            raise SubmissionError(
                f"{self._path} unpacks to more than {MAX_UNPACKED // 2**20} MiB, or says so"
            )


def _listed(entries: Iterator[_Entry], submission: Path) -> list[_Entry]:
    wanted = (e for e in entries if not _IGNORED & set(e.path.parts[:-1]))
    try:
        listed = list(itertools.islice(wanted, MAX_ENTRIES + 1))
    except SubmissionError:
        raise
    except Exception as error:  # whatever tarfile and the decompressors meet in a damaged file
        raise SubmissionError(f"{submission} cannot be read: {error}") from error
    if len(listed) > MAX_ENTRIES:
        raise SubmissionError(f"{submission} holds more than {MAX_ENTRIES} files")
    return listed


def _folder_entries(root: Path) -> Iterator[_Entry]:
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        for name in sorted(folders):
            if name in _IGNORED or (here / name).is_symlink():
                folders.remove(name)
                if name not in ("__pycache__", ".git"):
                    yield _Entry(PurePosixPath((here / name).relative_to(root)), 0, None)
        folders.sort()
        for name in sorted(files):
            path = here / name
            regular = path.is_file() and not path.is_symlink()
            yield _Entry(
                PurePosixPath(path.relative_to(root)),
                path.stat().st_size if regular else 0,
                path.read_bytes if regular else None,
            )


def _zip_entries(archive: zipfile.ZipFile) -> Iterator[_Entry]:
    for info in archive.infolist():
        if info.is_dir():
            continue
        kind = info.external_attr >> 16 & 0o170000
        # The other methods unpack a block whole, however large it becomes.
        readable = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        regular = kind in (0, 0o100000) and not info.flag_bits & 0x1 and readable

        def read(info: zipfile.ZipInfo = info) -> bytes:
            with archive.open(info) as file:
                return file.read(MAX_BYTES + 1)

        path = PurePosixPath(info.filename.replace("\\", "/"))
        yield _Entry(path, info.file_size, read if regular else None)


def _tar_entries(archive: tarfile.TarFile) -> Iterator[_Entry]:
    for info in archive:
        if info.isdir():
            continue

        def read(info: tarfile.TarInfo = info) -> bytes:
            file = archive.extractfile(info)
            assert file is not None, "a regular file of a tar can be opened"
            with file:
                return file.read(MAX_BYTES + 1)

        yield _Entry(PurePosixPath(info.name), info.size, read if info.isreg() else None)


def _copy(
    entries: list[_Entry],
    destination: Path,
    package: str,
    modules: tuple[str, ...],
    submission: Path,
) -> Staged:
    root = _find_package([e.path for e in entries], package, modules)
    if root is None:
        found = ", ".join(sorted({e.path.parts[0] for e in entries if e.path.parts})[:8])
        raise SubmissionError(
            f"{submission} holds no {package}/ with the assignment's modules "
            f"({', '.join(f'{m}.py' for m in modules[:3])}, …); found: {found or 'nothing'}"
        )
    target = destination / package
    target.mkdir(parents=True, mode=0o755)
    left_out: list[str] = []
    total = taken = 0
    beside = root.parent if root.name == package else root
    seen: set[str] = set()
    outside: Counter[str] = Counter()
    for entry in entries:
        if entry.path == beside / VERSION_FILE:
            continue
        inside = _inside(entry.path, root)
        reason = _why_not(entry, inside, seen)
        data = b""
        if not reason and (taken >= MAX_FILES or total >= MAX_TOTAL):
            reason = "too large, or one too many"
        if not reason:
            data = _read(entry, submission)
            taken, total = taken + 1, total + len(data)
            if len(data) > MAX_BYTES or total > MAX_TOTAL:
                reason = "too large, or one too many"
        if reason == "outside the package":
            outside[_first_part(entry.path, root)] += 1
            continue
        if reason:
            if reason != "-":
                left_out.append(f"{_printable(entry.path)} ({reason})")
            continue
        assert inside is not None
        seen.add(str(inside).casefold())
        path = target.joinpath(*inside.parts)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_bytes(data)
        path.chmod(0o644)
    (target / "__init__.py").touch(mode=0o644)
    left_out += [
        f"{name} ({count} files outside the package)" if name.endswith("/") else f"{name} (outside)"
        for name, count in outside.items()
    ]
    if len(left_out) > _NAMED:
        left_out[_NAMED:] = [f"and {len(left_out) - _NAMED} more"]
    return Staged(destination, tuple(left_out), _handout_version(entries, beside))


def _find_package(
    paths: list[PurePosixPath], package: str, modules: tuple[str, ...]
) -> PurePosixPath | None:
    """The folder of the package: by its name, or else by the modules in it; the shallowest."""
    names = {f"{module}.py" for module in modules}
    found: dict[PurePosixPath, tuple[bool, int]] = {}
    for path in paths:
        if ".." in path.parts or path.is_absolute() or path.name not in names:
            continue
        depth = len(path.parent.parts)
        if path.parent.name == package and depth <= 3:
            found[path.parent] = (False, depth)
        elif depth <= 1:
            found.setdefault(path.parent, (True, depth))
    return min(found, key=lambda root: (*found[root], str(root)), default=None)


def _handout_version(entries: list[_Entry], folder: PurePosixPath) -> str | None:
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
    return _printable(name) + ("/" if len(path.parts) > common + 1 else "")


def _why_not(entry: _Entry, inside: PurePosixPath | None, seen: set[str]) -> str:
    """Why an entry stays out: "" if it does not, "-" if nobody needs to know."""
    if entry.path.name.endswith(".pyc") or entry.path.name == ".DS_Store":
        return "-"
    if inside is None or ".." in entry.path.parts or entry.path.is_absolute():
        return "outside the package"
    if entry.read is None:
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


def _read(entry: _Entry, submission: Path) -> bytes:
    assert entry.read is not None
    try:
        return entry.read()
    except SubmissionError:
        raise
    except Exception as error:  # zlib.error, BadZipFile and their like have no common base
        raise SubmissionError(
            f"{submission}: {_printable(entry.path)} is damaged: {error}"
        ) from error


def _printable(path: PurePosixPath) -> str:
    text = str(path)
    return "".join(c if c.isprintable() else "?" for c in text)[:200]
