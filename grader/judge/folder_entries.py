"""Lists and reads the files of a folder. Links are never followed, devices and pipes never opened.

A file may change between the listing and the reading: it is opened again from the top, and checked.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from grader.judge.entries import (
    IGNORED_FOLDERS,
    IS_LINK,
    IS_NO_FILE,
    UNREPORTED_FOLDERS,
    Entry,
    EntryCount,
    SubmissionError,
    printable_name,
)

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe, too, is opened at once


def folder_entries(root: Path) -> Iterator[Entry]:
    """The files of a folder, those of the folder itself before those of its subfolders."""
    count = EntryCount(root)
    folders = [PurePosixPath()]
    while folders:
        here = folders.pop()
        inside: list[PurePosixPath] = []
        files: list[Entry] = []
        for found in _scan(root, here, count):
            path = here / found.name
            is_folder = found.is_dir(follow_symlinks=False)
            if found.name in IGNORED_FOLDERS and found.is_dir():
                if found.name not in UNREPORTED_FOLDERS:
                    files.append(Entry(path, 0, None, IS_NO_FILE))
            elif is_folder:
                inside.append(path)
            elif found.is_file(follow_symlinks=False):
                size = found.stat(follow_symlinks=False).st_size
                files.append(Entry(path, size, partial(_read, root, path)))
            else:
                files.append(Entry(path, 0, None, IS_LINK if found.is_symlink() else IS_NO_FILE))
        yield from sorted(files, key=lambda entry: entry.path.name)
        folders += sorted(inside, reverse=True)


def _scan(root: Path, folder: PurePosixPath, count: EntryCount) -> list[os.DirEntry[str]]:
    found = []
    try:
        with os.scandir(root / folder) as entries:
            for entry in entries:
                count.add()
                found.append(entry)
    except OSError as error:
        shown = root / printable_name(folder)
        raise SubmissionError(f"{shown} cannot be opened: {error.strerror}") from error
    return found


def open_below(
    root: int, path: PurePosixPath, check: Callable[[int], None] = lambda _: None
) -> int:
    """Opens a file or a folder to read it; no part of its path may be a link.

    Args:
        root: a descriptor of the folder that the path starts from.
        path: relative to that folder.
        check: is given a descriptor of each folder on the way.

    Raises:
        OSError: it cannot be opened, or a folder above it is none; and what `check` raises.
    """
    folder = os.dup(root)
    try:
        check(folder)
        for name in path.parts[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
            check(folder)
        return os.open(path.name or ".", _FILE | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _read(root: Path, path: PurePosixPath, limit: int) -> bytes:
    """Reads a file below a folder; raises OSError if it is no regular file any more."""
    folder = os.open(root, _FOLDER)
    try:
        descriptor = open_below(folder, path)
    finally:
        os.close(folder)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is no regular file any more")
        return file.read(limit)
