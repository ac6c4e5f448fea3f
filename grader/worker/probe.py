"""A worker's own attempts at what it must not be able to do. Each must fail, before any import.

The judge does not take the worker's word alone: it also reads the worker's /proc/<pid>/status.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from collections.abc import Callable


def probe(
    canary: str,
    results: str,
    judge: int,
    hidden: tuple[str, ...] = (),
    common: tuple[str, ...] = (),
) -> dict[str, str]:
    """Tries each; returns the error it met by name, or "allowed".

    Args:
        canary: a file that only the judge may read.
        results: a folder that only the judge may write.
        judge: the judge's process id.
        hidden: folders that no worker may look into.
        common: folders of the machine that usually everybody may write.
    """
    attempts: dict[str, Callable[[], object]] = {
        "read a secret": lambda: _open(canary),
        "write the results": lambda: _make(f"{results}/probe"),
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "fork": _fork,
        "run a program": _exec,
        "signal the judge": lambda: os.kill(judge, signal.SIGCONT),
        "read the judge's environment": lambda: _open(f"/proc/{judge}/environ"),
        "write the system": lambda: _make("/usr/probe"),
    }
    for folder in hidden:
        attempts[f"look into {folder}"] = lambda folder=folder: _look(folder)  # type: ignore[misc]
    for folder in common:
        attempts[f"leave something in {folder}"] = lambda folder=folder: _leave(folder)  # type: ignore[misc]
    return {name: _met(attempt) for name, attempt in attempts.items()}


def _met(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "failed")
    return "allowed"


def _open(file: str) -> None:
    os.close(os.open(file, os.O_RDONLY))


def _make(file: str) -> None:
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT))


def _look(folder: str) -> None:
    if not os.listdir(folder):  # noqa: PTH208 - an empty folder hides what lies there outside
        raise OSError(errno.ENOENT, "nothing to be seen")


def _leave(folder: str) -> None:
    made = f"{folder}/probe-{os.getpid()}"
    os.mkdir(made)  # noqa: PTH102 - a path of the worker's root, kept as text
    os.rmdir(made)  # noqa: PTH106


def _exec() -> None:
    try:
        os.execve("/no/such/program", ["program"], {})
    except FileNotFoundError:
        return  # the kernel went to look for it: nothing forbids exec


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)
