"""The steps that lock a worker down, shared by all tiers.

`namespaces.py` (tier A) and `shared_filesystem.py` (tiers B, B- and C) call them in order, between
a worker's fork and its first import of the submission.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterable

from grader.isolation import SCRATCH_MIB
from grader.sandbox import cuda, kernel, landlock, seccomp

# Not /dev/zero: shared memory can be mapped from it, which no limit counts.
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
PROCESSES = 64  # threads count as processes


def interpreter_folders() -> list[str]:
    """The folders of the interpreter and its packages; none of them is inside another one."""
    paths = {sys.base_prefix, sys.base_exec_prefix, sys.prefix}
    return [p for p in sorted(paths) if not any(p != q and p.startswith(q + "/") for q in paths)]


def detach(channel: int, output: int, *others: int) -> None:
    """Leaves the zygote's session, makes `output` stdout and stderr, closes other descriptors."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    kernel.close_all_but({0, 1, 2, channel, *others})


def prefer_oom_kill() -> None:
    """Makes the kernel kill this process before any other when the machine runs out of memory."""
    file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(file, b"1000")
    os.close(file)


def limit_resources(processes: int = PROCESSES, with_cuda: bool = False) -> None:
    """Sets the limits that hold for every worker; limits on memory and time come with each test.

    `processes` counts all of the worker's user, this one and threads included.
    """
    for what, limit in (
        (resource.RLIMIT_CORE, 1),  # a program that takes core dumps would ignore 0
        (resource.RLIMIT_NOFILE, cuda.DESCRIPTORS if with_cuda else 64),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, SCRATCH_MIB * 2**20),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        with contextlib.suppress(ValueError):  # a lower hard limit is in force: even better
            resource.setrlimit(what, (limit, limit))


def drop_privileges(uid: int, gid: int, *others: int) -> None:
    """Switches for good to a user, its group `gid` and the groups `others`; leaves all others."""
    os.setgroups(others)
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def apply_restrictions(
    readable: Iterable[str] | None,
    writable: Iterable[str],
    with_cuda: bool = False,
    dumpable: bool = False,
) -> None:
    """The last steps: capabilities, parent-death signal, no new privileges, Landlock, seccomp.

    None of them can be undone by this process. `readable` and `writable` are paths for Landlock;
    `readable` is None where there is none. `dumpable` lets other processes of its user open its
    descriptors.
    """
    kernel.set_capabilities(0)
    kernel.prctl(kernel.PR_SET_DUMPABLE, int(dumpable))
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # changing the user clears it
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if with_cuda:
        writable = [*writable, *cuda.WRITABLE]
    if readable is not None:
        landlock.restrict(readable, writable, cuda.device_nodes() if with_cuda else ())
    seccomp.install(seccomp.program(os.getpid(), with_cuda=with_cuda))


def limit_memory(mebibytes: int, address_space: bool) -> None:
    """Lets this process allocate at most this much memory beyond what it holds now.

    Limits its address space, or else writable private memory, so that it can map a large file.
    """
    # The limit, and the field of statm that says how much of it is taken now.
    what, field = (resource.RLIMIT_AS, 0) if address_space else (resource.RLIMIT_DATA, 5)
    file = os.open("/proc/self/statm", os.O_RDONLY)
    pages = os.read(file, 200).split()
    os.close(file)
    limit = int(pages[field]) * resource.getpagesize() + mebibytes * 2**20
    resource.setrlimit(what, (limit, limit))


def forbid_files() -> None:
    """Lets this process write to no file any more: what it kept there would not count as memory."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
