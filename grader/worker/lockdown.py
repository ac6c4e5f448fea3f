"""What a worker gives up before it sees a line of the submission: the steps that tiers share.

`namespaces.py` (tier A) and `shared.py` (tiers B, B- and C) put them in order, between a worker's
fork and its first import of the submission.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.worker import cuda, kernel, landlock, seccomp

SCRATCH_MIB, TMP_MIB = 256, 64
SCRATCH_FILES, TMP_FILES = 10_000, 1000
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
PROCESSES = 64  # threads count as processes


class CannotIsolate(RuntimeError):
    """This machine does not offer what a tier needs; the message says what failed."""


@dataclass(frozen=True)
class Places:
    """Folders of one worker: as they are called outside, or as the worker sees them.

    Args:
        submission: holds the student's package; readable.
        exchange: what tests write and the worker may read, by the same name inside.
        scratch: the worker may write it; outlives it, within one test.
        tmp: the worker may write it; goes with it.
    """

    submission: str
    exchange: str
    scratch: str
    tmp: str


def prefixes() -> list[str]:
    """The folders of the interpreter and its packages; none lies in another of them."""
    paths = {sys.base_prefix, sys.base_exec_prefix, sys.prefix}
    return [p for p in sorted(paths) if not any(p != q and p.startswith(q + "/") for q in paths)]


def detach(channel: int, output: int) -> None:
    """Leaves the zygote's session and descriptors: only `channel` and `output` stay."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    kernel.close_all_but({0, 1, 2, channel})


def go_first() -> None:
    """If the machine runs out of memory, this process is ended before any other."""
    file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(file, b"1000")
    os.close(file)


def limit_resources(processes: int = PROCESSES, with_cuda: bool = False) -> None:
    """The limits that hold for every worker; memory and time come with each test.

    Args:
        processes: how many the worker's user may have, this one and all threads included.
        with_cuda: whether it may use a CUDA device.
    """
    for what, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, cuda.DESCRIPTORS if with_cuda else 128),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, SCRATCH_MIB * 2**20),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        with contextlib.suppress(ValueError):  # a lower hard limit is in force: even better
            resource.setrlimit(what, (limit, limit))


def become(uid: int, gid: int) -> None:
    """Goes on as another user, in no other group."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def seal(readable: Iterable[str] | None, writable: Iterable[str], with_cuda: bool = False) -> None:
    """The last steps, from which there is no way back.

    Args:
        readable: what Landlock leaves to be read; None where there is no Landlock.
        writable: what it leaves to be changed.
        with_cuda: whether it leaves the nodes of a CUDA device.
    """
    kernel.set_capabilities(0)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # setting the user clears it
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if readable is not None:
        landlock.restrict(readable, writable, cuda.nodes() if with_cuda else ())
    seccomp.install(seccomp.program(os.getpid(), with_cuda=with_cuda))


def limit_memory(mebibytes: int, address_space: bool) -> None:
    """Lets this process take so much memory above what it holds now, and no more.

    `address_space` False limits writable private memory instead, so that a file larger than
    memory can be mapped.
    """
    pages = Path("/proc/self/statm").read_text().split()
    held = int(pages[0 if address_space else 5]) * resource.getpagesize()
    limit = held + mebibytes * 2**20
    resource.setrlimit(
        resource.RLIMIT_AS if address_space else resource.RLIMIT_DATA, (limit, limit)
    )
