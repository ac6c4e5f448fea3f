"""Opens a submission: recognizes its kind by its content, and lists a zip's files.

An archive is read into memory whole, so it cannot change while its parts are read.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from grader.judge.entries import (
    ACCEPTED,
    IS_LINK,
    IS_NO_FILE,
    MAX_ARCHIVE,
    Entry,
    EntryCount,
    SubmissionError,
)
from grader.judge.folder_entries import folder_entries
from grader.judge.tar_entries import is_compressed, tar_entries

# Formats that are not accepted, by the first bytes, without blanks and in lower case.
_OTHER_FORMATS = {
    b"%pdf-": "a PDF",
    b"<!doctypehtml": "an HTML page",
    b"<html": "an HTML page",
    b"rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard",
}
_OTHER_SUFFIXES = {".py": "a single Python file", ".ipynb": "a notebook"}
_ZIP_ENTRY = b"PK\1\2"  # each entry of a zip's directory begins with these bytes
# Compression methods by their number in a zip. Only stored and deflated members are read: Python's
# decompressors for the others return a whole block, however large.
_ZIP_METHODS = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "xz", 98: "PPMd"}


@contextlib.contextmanager
def open_entries(path: Path, package: str) -> Iterator[Iterator[Entry]]:
    """The entries of a folder or archive, which stays open meanwhile; raises SubmissionError."""
    if path.is_dir():
        yield folder_entries(path)
        return
    with open_archive(_archive_bytes(path), path, package) as entries:
        yield entries


@contextlib.contextmanager
def open_archive(data: bytes, path: Path, package: str) -> Iterator[Iterator[Entry]]:
    """The entries of an archive's bytes; `path` is for messages. Raises SubmissionError."""
    with contextlib.ExitStack() as stack:
        try:
            if zipfile.is_zipfile(io.BytesIO(data)):
                EntryCount(path).add(data.count(_ZIP_ENTRY))  # zipfile reads all at once
                zipped = stack.enter_context(zipfile.ZipFile(io.BytesIO(data)))
                entries = _zip_entries(zipped)
            else:
                _refuse_other_formats(data, path, package)
                entries = tar_entries(data, path)
        except (SubmissionError, MemoryError):
            raise
        except tarfile.ReadError as error:
            found = f"is neither a folder nor a readable zip or tar: {error}"
            if is_compressed(data):
                found = "is one compressed file, and no tar"
            raise SubmissionError(f"{path} {found}; {_what_to_hand_in(package)}") from error
        except Exception as error:  # zipfile and decompressors raise many types
            raise SubmissionError(f"{path} cannot be opened: {error}") from error
        yield entries


def _archive_bytes(path: Path) -> bytes:
    """Reads an archive; refuses what is empty, too large or no file, without waiting for a pipe."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(MAX_ARCHIVE + 1) if regular else b""
    except OSError as error:
        raise SubmissionError(f"{path} cannot be opened: {error.strerror}") from error
    if not regular:
        raise SubmissionError(f"{path} is neither a file nor a folder; expected {ACCEPTED}")
    if not data:
        raise SubmissionError(f"{path} is empty; expected a zip or tar of the package")
    if len(data) > MAX_ARCHIVE:
        raise SubmissionError(
            f"{path} is larger than {MAX_ARCHIVE // 2**20} MiB; hand in the package alone"
        )
    return data


def _refuse_other_formats(data: bytes, path: Path, package: str) -> None:
    """Refuses known formats that are neither zip nor tar, by name; raises SubmissionError."""
    start = b"".join(data[:100].lower().split())
    kinds = (kind for magic, kind in _OTHER_FORMATS.items() if start.startswith(magic))
    if kind := next(kinds, _OTHER_SUFFIXES.get(path.suffix)):
        raise SubmissionError(f"{path} is {kind}; {_what_to_hand_in(package)}")


def _what_to_hand_in(package: str) -> str:
    return f"hand in {ACCEPTED} that holds {package}/; `make submit` packs one"


def _zip_entries(archive: zipfile.ZipFile) -> Iterator[Entry]:
    for info in archive.infolist():
        if info.is_dir():
            continue

        def read(limit: int, info: zipfile.ZipInfo = info) -> bytes:
            with archive.open(info) as file:
                return file.read(limit)

        path = PurePosixPath(info.filename.replace("\\", "/"))
        unreadable = _why_unreadable(info)
        yield Entry(path, info.file_size, None if unreadable else read, unreadable)


def _why_unreadable(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return IS_LINK if kind == stat.S_IFLNK else IS_NO_FILE
    if info.flag_bits & 0x1:
        return "is encrypted; zip the package without a password"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = _ZIP_METHODS.get(info.compress_type, f"method {info.compress_type}")
        return f"is compressed with {method}; zip the package with the usual method, deflate"
    return ""
