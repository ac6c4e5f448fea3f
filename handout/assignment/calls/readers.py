"""Reads what an implementation left on the disk: `impl.readers.tensors_in(path)`.

In the grader a reader runs after the submission's own process is gone: in a sandboxed process that
loads no submission, or in the judge if it parses nothing. So its report rests on the files alone.
Three more functions run in such a process, which decide what the implementation finds on the disk
next.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch


def file_bytes(path: str, limit: int = 2**20) -> bytes:
    """The first `limit` bytes of a file."""
    with Path(path).open("rb") as file:
        return file.read(limit)


def files_bytes(paths: list[str]) -> list[bytes]:
    """The first 2²⁴ bytes of each file."""
    return [file_bytes(path, 2**24) for path in paths]


def names_in(folder: str) -> list[str]:
    """The names of the files and folders in a folder, sorted."""
    return sorted(item.name for item in Path(folder).iterdir())


def tensors_in(path: str) -> list[torch.Tensor]:
    """All tensors of a file that `torch.save` wrote, wherever they are in it, in order.

    Loads with `weights_only=True`, and raises what that raises.
    """
    return list(_tensors(torch.load(path, map_location="cpu", weights_only=True)))


def write_files(contents: dict[str, bytes]) -> None:
    """Writes files, by their paths."""
    for path, content in contents.items():
        Path(path).write_bytes(content)


def replace_all(path: str, content: bytes) -> None:
    """Removes all that is in a file's folder, then writes the file as a new one."""
    Path(path).unlink(missing_ok=True)
    Path(path).touch()
    leave_only(path)
    Path(path).write_bytes(content)


def leave_only(*paths: str) -> list[int]:
    """Removes all but these files from their folder, and returns their sizes.

    Raises FileNotFoundError if one of them does not exist.
    """
    kept = {Path(path).lstat().st_ino for path in paths}
    for item in Path(paths[0]).parent.iterdir():
        if item.lstat().st_ino in kept:
            continue
        if item.is_dir() and not item.is_symlink():
            shutil.rmtree(item)
        else:
            item.unlink()
    return [Path(path).stat().st_size for path in paths]


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value.detach()
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)


_EVERY = (file_bytes, files_bytes, names_in, tensors_in, write_files, replace_all, leave_only)
_READERS: dict[str, Callable[..., Any]] = {reader.__name__: reader for reader in _EVERY}


def find(name: str) -> Callable[..., Any]:
    """The reader with this name; raises LookupError if there is none."""
    try:
        return _READERS[name]
    except KeyError:
        raise LookupError(f"no reader is called {name!r}: {', '.join(_READERS)}") from None
