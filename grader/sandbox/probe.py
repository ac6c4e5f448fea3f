"""A worker tries what it must not be able to do. Each attempt must fail, before any import.

The judge does not trust the worker's word alone: it also reads the worker's /proc/<pid>/status.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
from collections.abc import Callable
from functools import partial

from grader.wire.messages import Grading

_TO_CREATE = os.O_WRONLY | os.O_CREAT


def probe(grading: Grading, judge: int, world_writable: tuple[str, ...] = ()) -> dict[str, str]:
    """Tries each attempt; returns by its name the error that it met, or "allowed".

    `judge` is its process id; `world_writable` are folders that every user can usually write.
    """
    attempts: dict[str, Callable[[], object]] = {
        "read a secret": lambda: _open(grading.canary),
        "write the results": lambda: _open(f"{grading.results}/probe", _TO_CREATE),
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "fork": _fork,
        "run a program": _exec,
        "signal the judge": lambda: os.kill(judge, signal.SIGCONT),
        "read the judge's environment": lambda: _open(f"/proc/{judge}/environ"),
        "write the system": lambda: _open("/usr/probe", _TO_CREATE),
        "take uncounted memory from /dev/zero": lambda: _open("/dev/zero"),
    }
    for folder in grading.hidden:
        attempts[f"look into {folder}"] = partial(_list, folder)
    for folder in world_writable:
        attempts[f"leave something in {folder}"] = partial(_write_in, folder)
    return {name: _result(attempt) for name, attempt in attempts.items()}


def _result(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "failed")
    return "allowed"


def _open(file: str, flags: int = os.O_RDONLY) -> None:
    os.close(os.open(file, flags))


def _list(folder: str) -> None:
    if not os.listdir(folder):  # an empty folder is mounted over a hidden one
        raise OSError(errno.ENOENT, "the folder is empty")


def _write_in(folder: str) -> None:
    made = f"{folder}/probe-{os.getpid()}"
    os.mkdir(made)
    os.rmdir(made)


def _exec() -> None:
    try:
        os.execve("/no/such/program", ["program"], {})
    except FileNotFoundError:
        return  # the kernel looked for the program: exec is not forbidden


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)
