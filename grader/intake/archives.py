"""Opens a submission: recognizes its kind by its content, and lists the files of a zip or tar.

An archive is read into memory whole, so it cannot change while its parts are read. Headers
of a tar may lead anywhere: back to themselves, through a chain of a million, or to a name of
megabytes. So each header is counted, listing only moves forward, and sparse files are refused.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NoReturn

from grader.intake.entries import (
    ACCEPTED,
    IS_LINK,
    IS_NO_FILE,
    MAX_ARCHIVE,
    Entry,
    EntryCount,
    SubmissionError,
    folder_entries,
    printable_name,
)

MAX_UNPACKED = 512 * 2**20  # bytes of a compressed tar: to list it is to decompress all of it
_MAX_HEADER = 2**20  # bytes of a long name, or of a header's extension; tarfile reads it whole
# The first bytes of a compressed file, and what reads it.
_COMPRESSED: dict[bytes, Callable[[io.BytesIO], io.BufferedIOBase]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
_EXTENSIONS = {  # members that describe the next one
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
}


def tar_entries(data: bytes, path: Path) -> Iterator[Entry]:
    """The files of a tar, from its bytes; links and devices are listed as unreadable.

    Raises:
        SubmissionError: it is too large, or reading it could take for ever; also as one iterates.
        tarfile.ReadError: it is no tar; at once. Decompressors raise many other types.
    """
    unpacked = _TarBytes(data, path)
    archive = tarfile.TarFile(fileobj=unpacked, tarinfo=_Header)  # type: ignore[arg-type]
    return _tar_members(archive, unpacked)


def _tar_members(archive: tarfile.TarFile, unpacked: _TarBytes) -> Iterator[Entry]:
    """Lists an open tar, then checks that its end is there; raises SubmissionError if not."""
    for info in archive:
        if info.isdir():
            continue

        def read(limit: int, info: tarfile.TarInfo = info) -> bytes:
            file = archive.extractfile(info)
            assert file is not None, "a regular file of a tar can be opened"
            with file:
                return file.read(limit)

        path = PurePosixPath(info.name)
        if info.isreg():
            yield Entry(path, info.size, read)
        else:
            is_link = info.issym() or info.islnk()
            yield Entry(path, info.size, None, IS_LINK if is_link else IS_NO_FILE)
    unpacked.listed = True
    # tarfile stops without an error at a damaged or missing header, so look for the end block.
    unpacked.seek(archive.offset)
    if unpacked.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise SubmissionError(
            f"{unpacked.path} is cut off or damaged: the tar's end is missing; pack it again"
        )


class _TarBytes:
    """The decompressed bytes of a tar, as a file for tarfile to read.

    Reading stops at `MAX_UNPACKED`: a few kilobytes may decompress to terabytes.
    """

    def __init__(self, data: bytes, path: Path) -> None:
        self.path = path  # for messages
        self.headers = EntryCount(path)
        self.listed = False  # whether all headers were read; until then reading only moves forward
        kinds = (kind for magic, kind in _COMPRESSED.items() if data.startswith(magic))
        self._file = next(kinds, lambda file: file)(io.BytesIO(data))
        self._end = 0  # where the last read stopped

    def read(self, size: int) -> bytes:
        """Reads; refuses a size that no honest tar asks for, and more than `MAX_UNPACKED`."""
        if not 0 <= size <= MAX_ARCHIVE + tarfile.BLOCKSIZE:
            self._refuse_size()
        if self.tell() + size > MAX_UNPACKED + tarfile.RECORDSIZE:
            self._refuse_size()
        data = self._file.read(size)
        self._end = self.tell()
        return data

    def seek(self, position: int) -> None:
        # tarfile reads the byte before a header again, to know whether the file ends there.
        if not self.listed and position < self._end - 1:
            raise SubmissionError(
                f"{self.path} is damaged: a header of the tar leads back to an earlier one; "
                "pack it again"
            )
        if position > MAX_UNPACKED:
            self._refuse_size()
        self._file.seek(position)

    def tell(self) -> int:
        return self._file.tell()

    def _refuse_size(self) -> NoReturn:
        raise SubmissionError(
            f"{self.path} unpacks to more than {MAX_UNPACKED // 2**20} MiB, or claims to"
        )


class _Header(tarfile.TarInfo):
    """A header that is refused if reading on could take for ever; raises ValueError.

    tarfile calls these methods, which may be overridden, for each header that it has decoded.
    """

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        assert isinstance(archive.fileobj, _TarBytes), "tar_entries opened it"
        archive.fileobj.headers.add()
        if self.type in _EXTENSIONS and self.size > _MAX_HEADER:
            raise ValueError(
                f"a header has more than {_MAX_HEADER // 2**20} MiB, or claims to; "
                "pack the files without extended attributes"
            )
        if self.type == tarfile.GNUTYPE_SPARSE:
            self._refuse_sparse(self)
        found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        self._refuse_negative(found, found.size)  # of a folder or a link, too
        return found

    def _block(self, count: int) -> int:
        # Called for a size before it is gone by. Newer Pythons' own error of a negative one ends
        # the list of members without a word.
        self._refuse_negative(self, count)
        size: int = super()._block(count)  # type: ignore[misc]
        return size

    def _refuse_negative(self, info: tarfile.TarInfo, size: int) -> None:
        if size < 0:
            raise ValueError(f"{printable_name(info.name)} has a negative size; pack it again")

    def _refuse_sparse(self, info: tarfile.TarInfo, *_: object) -> NoReturn:
        """A sparse file's map may have gigabytes, and stand for terabytes."""
        raise ValueError(f"{printable_name(info.name)} is a sparse file; pack it without --sparse")

    # The three forms of a sparse file in the POSIX format.
    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse


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
    """The entries of an archive's bytes; `path` is for messages.

    Opening raises SubmissionError; listing a damaged archive may raise anything.
    """
    with contextlib.ExitStack() as stack:
        try:
            if zipfile.is_zipfile(io.BytesIO(data)):
                EntryCount(path).add(data.count(_ZIP_ENTRY))  # zipfile reads them all
                zipped = stack.enter_context(zipfile.ZipFile(io.BytesIO(data)))
                entries = _zip_entries(zipped)
            else:
                _refuse_other_formats(data, path, package)
                entries = tar_entries(data, path)
        except (SubmissionError, MemoryError):
            raise
        except tarfile.ReadError as error:
            found = f"is neither a folder nor a readable zip or tar: {error}"
            if data.startswith(tuple(_COMPRESSED)):
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
    """Why a file of a zip cannot be read, and what to do; "" if it can."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return IS_LINK if kind == stat.S_IFLNK else IS_NO_FILE
    if info.flag_bits & 0x1:
        return "is encrypted; zip the package without a password"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = _ZIP_METHODS.get(info.compress_type, f"method {info.compress_type}")
        return f"is compressed with {method}; zip the package with the usual method, deflate"
    return ""
