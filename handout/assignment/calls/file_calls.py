"""What a call did to files, in the order in which it did it: syncs and renames.

`Call` is what can be seen from outside just before a sync or a rename; `events` tells from several
of them what happened. The grader sees the calls as the kernel does. A local run notes the calls of
Python's `os`, by `noted`.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

MAX_CONTENT = 2**24  # bytes read of files, to compare their content
SYNCS, RENAMES = ("fsync", "fdatasync"), ("rename", "replace")
Event = tuple[str, ...]


class File(NamedTuple):
    """A file or a folder at one moment; device and inode tell it from every other one.

    `digest` is of the content of a regular file; "" where it could not be read.
    """

    device: int
    inode: int
    size: int
    is_folder: bool
    digest: str = ""

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode


class Seen(NamedTuple):
    """A regular file at one moment: its inode, which tells a new file from a changed one."""

    inode: int
    content: bytes


Names = dict[str, File]  # what each name means, relative to a folder, which is "." itself


class Call(NamedTuple):
    """What was there just before a sync or a rename."""

    names: Names  # all files in the folder
    synced: File | None  # the file that is synced; None in a rename, or if there is no such file


def events(calls: list[Call], end: Names) -> list[Event]:
    """What happened, in order, told from the calls and from what is there at the end.

    ("sync", name) is a sync of a file that then had its final content, and ("sync too early", name)
    one whose content was another or unknown; ("sync folder", name) is that of a folder. All have
    their names at the end, and those of files that are gone by then are left out. ("rename", old,
    new) is a renaming.
    """
    found: list[Event] = []
    at_end = {file.identity: (name, file) for name, file in end.items()}
    moments = [*(call.names for call in calls), end]
    for call, after in zip(calls, moments[1:], strict=True):
        if call.synced is not None and call.synced.identity in at_end:
            name, file = at_end[call.synced.identity]
            is_complete = file.digest and call.synced.digest == file.digest
            kind = "sync" if is_complete else "sync too early"
            found.append(("sync folder" if file.is_folder else kind, name))
        found += _renames(call.names, after)
    return found


def _renames(before: Names, after: Names) -> Iterator[Event]:
    old = {file.identity: name for name, file in before.items()}
    for name, file in after.items():
        first = old.get(file.identity, name)
        # A hard link is one more name: the first is still there.
        if first != name and (first not in after or after[first].identity != file.identity):
            yield "rename", first, name


def file_of(found: os.stat_result, digest: str = "") -> File:
    """The file that `os.stat` has found."""
    return File(found.st_dev, found.st_ino, found.st_size, stat.S_ISDIR(found.st_mode), digest)


def digest_of(path: Path, limit: int, follow: bool = False) -> str:
    """A digest of a regular file's content; "" if it cannot be read, is none, or exceeds `limit`.

    `follow` says whether the path itself may be a symbolic link.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            content = file.read(limit + 1)
    except OSError:
        return ""
    return hashlib.blake2b(content, digest_size=16).hexdigest() if len(content) <= limit else ""


def seen(path: Path) -> Seen | None:
    """A file as it is now, with its first `MAX_CONTENT` bytes; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return Seen(os.fstat(file.fileno()).st_ino, file.read(MAX_CONTENT))
    except OSError:
        return None


def names_in(folder: Path) -> Names:
    """All files and folders in a folder."""
    return {
        path.relative_to(folder).as_posix(): file_of(path.lstat(), digest_of(path, MAX_CONTENT))
        for path in (folder, *folder.rglob("*"))
    }


@contextmanager
def noted(folder: Path, package: str) -> Iterator[list[Call]]:
    """Notes this process's syncs and renames by Python's `os`, until the end of the block.

    A module of the package may have imported a function by its name: it is replaced there too.
    """
    calls: list[Call] = []
    own = [m for name, m in list(sys.modules.items()) if name.startswith(f"{package}.")]
    with ExitStack() as stack:
        for name in (*SYNCS, *RENAMES):
            original = getattr(os, name, None)  # Windows lacks some
            for module in (os, *own):
                for attribute, value in list(vars(module).items()):
                    if original is not None and value is original:
                        replaced = _noting(original, name in SYNCS, folder, calls)
                        stack.enter_context(mock.patch.object(module, attribute, replaced))
        yield calls


def _noting(
    original: Callable[..., Any], syncs: bool, folder: Path, calls: list[Call]
) -> Callable[..., Any]:
    """Takes a function's place: notes all that is in the folder, then calls it, which may fail."""

    def noting(*args: Any, **kwargs: Any) -> Any:
        synced = None
        if syncs:
            file = args[0] if args else kwargs["fd"]
            synced = file_of(os.fstat(file if isinstance(file, int) else file.fileno()))
        names = names_in(folder)
        if synced is not None:  # its own descriptor may be open for writing only
            known = {other.identity: other for other in names.values()}
            synced = known.get(synced.identity, synced)
        calls.append(Call(names, synced))
        return original(*args, **kwargs)

    return noting
