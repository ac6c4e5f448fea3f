"""Runs a function on hostile data in a process of its own, with limits that the kernel enforces.

The process is a fork of this one, which costs some milliseconds. It executes nothing of a
submission: it only reads files whose author may want reading to take for ever.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from grader.faults import GraderFault
from grader.machine import end_with_parent
from grader.results.text import printable

_OUT_OF_MEMORY = 77  # exit status of the process
_CHUNK = 2**20  # bytes, of one read from the process


class LimitExceeded(Exception):
    """The function needed more CPU time or memory than it may; the message says which."""


@dataclass(frozen=True)
class Limits:
    """What the function may use."""

    cpu_seconds: int  # the same work takes about as much on a busy machine
    memory: int  # bytes of address space, beyond what this process has at the fork
    wall_seconds: float  # after them the machine is at fault, not the function
    answer: int  # bytes that it may return


def address_space() -> int:
    """Bytes of address space that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def run_bounded(work: Callable[[], bytes], limits: Limits) -> bytes:
    """Returns what `work` returns in a fork of this process.

    Raises:
        LimitExceeded: it used up its CPU time or its memory.
        GraderFault: the process failed in any other way, or did not end in time.
    """
    deadline = time.monotonic() + limits.wall_seconds
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        _work_and_exit(work, limits, write)
    try:
        os.close(write)
        answer = _receive(read, deadline, limits.answer)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == -signal.SIGXCPU:
        raise LimitExceeded(f"{limits.cpu_seconds} s of CPU time")
    if status == _OUT_OF_MEMORY:
        raise LimitExceeded(f"{limits.memory // 2**20} MiB of memory")
    if status:
        raise GraderFault(f"the process that reads a submission ended with status {status}")
    return answer


def _receive(read: int, deadline: float, most: int) -> bytes:
    """Reads until the other end is closed."""
    poll = select.poll()
    poll.register(read, select.POLLIN)
    data = bytearray()
    while poll.poll(max(deadline - time.monotonic(), 0) * 1000):
        chunk = os.read(read, _CHUNK)
        if not chunk:
            return bytes(data)
        data += chunk
        if len(data) > most:
            raise GraderFault("the process that reads a submission answered with too much")
    raise GraderFault("the process that reads a submission did not end in time")


def _work_and_exit(work: Callable[[], bytes], limits: Limits, write: int) -> NoReturn:
    """The forked process: it leaves by `os._exit`, so that it cleans up nothing of its parent's."""
    status = 1
    try:
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):  # often sent to a whole group
            signal.signal(number, signal.SIG_IGN)  # the parent ends this process
        end_with_parent()
        gc.freeze()  # a collection would touch, and so copy, all of the parent's objects
        _lower_limit(resource.RLIMIT_CORE, 0)  # SIGXCPU would dump the judge's memory to a file
        _lower_limit(resource.RLIMIT_CPU, limits.cpu_seconds)
        _lower_limit(resource.RLIMIT_AS, address_space() + limits.memory)
        with os.fdopen(write, "wb") as pipe:
            pipe.write(work())
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    except BaseException:
        lines = traceback.format_exc().splitlines()  # they may name files of the submission
        print(*map(printable, lines), sep="\n", file=sys.stderr, flush=True)
    finally:
        os._exit(status)


def _lower_limit(kind: int, value: int) -> None:
    """Lowers a limit of this process; never raises one."""
    soft, hard = resource.getrlimit(kind)
    lowest = min(n for n in (value, soft, hard) if n != resource.RLIM_INFINITY)
    resource.setrlimit(kind, (lowest, hard))
