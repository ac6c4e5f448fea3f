"""Lists and reads the files of a submission: a folder, a zip or a tar.

Nothing is unpacked to disk: entries are listed first, and a file is read only when it is needed.
Archives that are damaged, or larger than any submission needs to be, are refused.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import itertools
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

MAX_BYTES = 2 * 2**20  # of one file
MAX_ENTRIES = 20_000  # in an archive or folder
MAX_ARCHIVE = 20 * 2**20  # bytes; a zip's list of entries is read whole before it can be counted
MAX_UNPACKED = 512 * 2**20  # bytes of a compressed tar: to list it is to decompress all of it
ACCEPTED = "a folder, zip or tar (.gz, .bz2 or .xz)"
ARCHIVE_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".rar", ".7z")
_MAX_READ = 16 * 2**20  # bytes; tarfile reads as much at once as a header claims, without limit
_IGNORED_FOLDERS = {
    *(".git", ".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache"),
    *("__MACOSX", ".ipynb_checkpoints"),
}
_UNREPORTED_FOLDERS = _IGNORED_FOLDERS - {".venv", "venv"}  # not worth a report
# The first bytes of a compressed file, and what reads it.
_COMPRESSED: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.GzipFile,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
# The first bytes of formats that are not accepted.
_OTHER_FORMATS = {
    b"Rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard",
}
# Compression methods by their number in a zip. Only stored and deflated members are read: Python's
# decompressors for the others return a whole block, however large.
_ZIP_METHODS = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd"}


class SubmissionError(Exception):
    """A submission that cannot be read.

    The message says what came, what was expected and what to do. It is one line of printable
    characters, whatever the submission's files are called.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


@dataclass(frozen=True)
class Entry:
    """One file of the submission.

    Attributes:
        path: relative to the folder or archive.
        size: in bytes, as the archive states it.
        read: returns the content; None if this is no regular file, or cannot be read.
        unreadable: why a regular file cannot be read, and what to do; else empty.
    """

    path: PurePosixPath
    size: int
    read: Callable[[], bytes] | None
    unreadable: str = ""


def printable(text: str) -> str:
    """Replaces each character that is not printable, as in terminal sequences, with "?"."""
    return "".join(c if c.isprintable() else "?" for c in text)


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
    """All entries except those in folders that tools create; raises SubmissionError."""
    wanted = (e for e in entries if not _IGNORED_FOLDERS & set(e.path.parts[:-1]))
    try:
        found = list(itertools.islice(wanted, MAX_ENTRIES + 1))
    except SubmissionError:
        raise
    except Exception as error:  # tarfile and decompressors raise many types for a damaged file
        raise SubmissionError(f"{submission} cannot be read: {error}") from error
    if len(found) > MAX_ENTRIES:
        raise SubmissionError(f"{submission} holds more than {MAX_ENTRIES} files")
    return found


@contextlib.contextmanager
def open_entries(path: Path, package: str) -> Iterator[Iterator[Entry]]:
    """The entries of a folder or archive, which stays open meanwhile; raises SubmissionError."""
    if path.is_dir():
        yield _folder_entries(path)
        return
    _refuse_by_size(path)
    with contextlib.ExitStack() as stack:
        try:
            if zipfile.is_zipfile(path):
                entries = _zip_entries(stack.enter_context(zipfile.ZipFile(path)))
            else:
                _refuse_other_formats(path, package)
                unpacked = stack.enter_context(contextlib.closing(_TarBytes(path)))
                tar = tarfile.TarFile(fileobj=unpacked)  # type: ignore[arg-type]
                entries = _tar_entries(stack.enter_context(tar), path)
        except SubmissionError:
            raise
        except tarfile.ReadError as error:
            raise SubmissionError(
                f"{path} is neither a folder nor a readable zip or tar: {error}; "
                + _what_to_hand_in(package)
            ) from error
        except Exception as error:  # zipfile and decompressors raise many types
            raise SubmissionError(f"{path} cannot be opened: {error}") from error
        yield entries


def _refuse_by_size(path: Path) -> None:
    size = path.stat().st_size
    if size == 0:
        raise SubmissionError(f"{path} is empty; expected a zip or tar of the package")
    if size > MAX_ARCHIVE:
        raise SubmissionError(
            f"{path} is larger than {MAX_ARCHIVE // 2**20} MiB; hand in the package alone"
        )


def _refuse_other_formats(path: Path, package: str) -> None:
    """Refuses known formats that are neither zip nor tar, by name; raises SubmissionError."""
    with path.open("rb") as file:
        start = file.read(8)
    kind = next((kind for magic, kind in _OTHER_FORMATS.items() if start.startswith(magic)), "")
    if not kind and path.suffix == ".py":
        kind = "a single Python file"
    if kind:
        raise SubmissionError(f"{path} is {kind}; {_what_to_hand_in(package)}")


def _what_to_hand_in(package: str) -> str:
    return f"hand in {ACCEPTED} that holds {package}/; `make submit` packs one"


class _TarBytes:
    """The decompressed bytes of a tar, as a file for tarfile to read.

    Reading stops at `MAX_UNPACKED`: a few kilobytes may decompress to terabytes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            start = file.read(6)
        kinds = (kind for magic, kind in _COMPRESSED.items() if start.startswith(magic))
        self._file: Any = next(kinds, io.FileIO)(path)

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
                f"{self._path} unpacks to more than {MAX_UNPACKED // 2**20} MiB, or claims to"
            )


def _folder_entries(root: Path) -> Iterator[Entry]:
    def refuse(error: OSError) -> None:
        raise SubmissionError(f"{error.filename} cannot be opened: {error.strerror}")

    for folder, folders, files in os.walk(root, onerror=refuse):
        here = Path(folder)
        for name in sorted(folders):
            if name in _IGNORED_FOLDERS or (here / name).is_symlink():
                folders.remove(name)
                if name not in _UNREPORTED_FOLDERS:
                    yield Entry(PurePosixPath((here / name).relative_to(root)), 0, None)
        folders.sort()
        for name in sorted(files):
            path = here / name
            regular = path.is_file() and not path.is_symlink()
            yield Entry(
                PurePosixPath(path.relative_to(root)),
                path.stat().st_size if regular else 0,
                path.read_bytes if regular else None,
            )


def _zip_entries(archive: zipfile.ZipFile) -> Iterator[Entry]:
    for info in archive.infolist():
        if info.is_dir():
            continue

        def read(info: zipfile.ZipInfo = info) -> bytes:
            with archive.open(info) as file:
                return file.read(MAX_BYTES + 1)

        path = PurePosixPath(info.filename.replace("\\", "/"))
        kind = info.external_attr >> 16 & 0o170000
        unreadable = _why_unreadable(info)
        regular = kind in (0, 0o100000) and not unreadable
        yield Entry(path, info.file_size, read if regular else None, unreadable)


def _why_unreadable(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        return "is encrypted; zip the package without a password"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = _ZIP_METHODS.get(info.compress_type, f"method {info.compress_type}")
        return f"is compressed with {method}; zip the package with the usual method, deflate"
    return ""


def _tar_entries(archive: tarfile.TarFile, path: Path) -> Iterator[Entry]:
    for info in archive:
        if info.isdir():
            continue

        def read(info: tarfile.TarInfo = info) -> bytes:
            file = archive.extractfile(info)
            assert file is not None, "a regular file of a tar can be opened"
            with file:
                return file.read(MAX_BYTES + 1)

        yield Entry(PurePosixPath(info.name), info.size, read if info.isreg() else None)
    # tarfile stops without an error at a damaged or missing header, so look for the end block.
    assert archive.fileobj is not None, "an open archive has its file"
    archive.fileobj.seek(archive.offset)
    if archive.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise SubmissionError(
            f"{path} is cut off or damaged: the tar's end is missing; pack it again"
        )
