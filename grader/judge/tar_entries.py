"""Lists and reads the files of a tar, compressed or not.

Headers of a tar may lead anywhere: back to themselves, through a chain of a million, or to a name
of megabytes. So each header is counted, listing only moves forward, and sparse files are refused.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from grader.judge.entries import (
    IS_LINK,
    IS_NO_FILE,
    MAX_ARCHIVE,
    Entry,
    EntryCount,
    SubmissionError,
    printable_name,
)

MAX_UNPACKED = 512 * 2**20  # bytes of a compressed tar: to list it is to decompress all of it
_MAX_HEADER = 2**20  # bytes of a long name, or of a header's extension; tarfile reads it at once
# The first bytes of a compressed file, and what reads it.
_COMPRESSED: dict[bytes, Callable[[io.BytesIO], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
_EXTENSIONS = {  # members that describe the next one
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
}


def is_compressed(data: bytes) -> bool:
    """Whether these are the bytes of a file compressed as a tar may be."""
    return data.startswith(tuple(_COMPRESSED))


def tar_entries(data: bytes, path: Path) -> Iterator[Entry]:
    """The files of a tar, from its bytes.

    Raises:
        SubmissionError: it is too large, or reading it could take for ever.
        tarfile.ReadError: it is no tar. Decompressors raise many other types.
    """
    unpacked = _TarBytes(data, path)
    archive = tarfile.TarFile(fileobj=unpacked, tarinfo=_Header)  # type: ignore[arg-type]
    return _entries(archive, unpacked)


def _entries(archive: tarfile.TarFile, unpacked: _TarBytes) -> Iterator[Entry]:
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

    Attributes:
        path: the tar's, for messages.
        count: of its headers.
        listed: whether all headers were read; until then reading only moves forward.
    """

    def __init__(self, data: bytes, path: Path) -> None:
        self.path, self.count, self.listed = path, EntryCount(path), False
        kinds = (kind for magic, kind in _COMPRESSED.items() if data.startswith(magic))
        self._file: Any = next(kinds, lambda file: file)(io.BytesIO(data))
        self._end = 0  # of what was read

    def read(self, size: int) -> bytes:
        if not 0 <= size <= MAX_ARCHIVE + tarfile.BLOCKSIZE:
            self._refuse_size()
        if self.tell() + size > MAX_UNPACKED + tarfile.RECORDSIZE:
            self._refuse_size()
        data: bytes = self._file.read(size)
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
        position: int = self._file.tell()
        return position

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
        archive.fileobj.count.add()
        self._refuse_negative(self)
        if self.type in _EXTENSIONS and self.size > _MAX_HEADER:
            raise ValueError(
                f"a header has more than {_MAX_HEADER // 2**20} MiB, or claims to; "
                "pack the files without extended attributes"
            )
        if self.type == tarfile.GNUTYPE_SPARSE:
            self._refuse_sparse(self)
        found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        self._refuse_negative(found)  # an extended header may have changed its size
        return found

    def _refuse_negative(self, info: tarfile.TarInfo) -> None:
        if info.size < 0:
            raise ValueError(f"{printable_name(info.name)} has a negative size; pack it again")

    def _refuse_sparse(self, info: tarfile.TarInfo, *_: object) -> NoReturn:
        """A sparse file's map may have gigabytes, and stand for terabytes."""
        raise ValueError(f"{printable_name(info.name)} is a sparse file; pack it without --sparse")

    # The three forms of a sparse file in the POSIX format.
    _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse
