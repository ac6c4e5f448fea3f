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

from grader.judge.entries import ACCEPTED, MAX_BYTES, Entry, EntryCount, SubmissionError
from grader.judge.folder_entries import folder_entries
from grader.judge.tar_entries import tar_entries

MAX_ARCHIVE = 20 * 2**20  # bytes
# The first bytes of formats that are not accepted.
_OTHER_FORMATS = {
    b"Rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard",
}
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
    data = _archive_bytes(path)
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
            raise SubmissionError(
                f"{path} is neither a folder nor a readable zip or tar: {error}; "
                + _what_to_hand_in(package)
            ) from error
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
    kind = next((kind for magic, kind in _OTHER_FORMATS.items() if data.startswith(magic)), "")
    if not kind and path.suffix == ".py":
        kind = "a single Python file"
    if kind:
        raise SubmissionError(f"{path} is {kind}; {_what_to_hand_in(package)}")


def _what_to_hand_in(package: str) -> str:
    return f"hand in {ACCEPTED} that holds {package}/; `make submit` packs one"


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
