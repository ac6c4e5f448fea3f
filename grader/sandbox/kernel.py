"""Linux system calls that lock a worker down and that Python's library lacks, by ctypes."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import struct
from pathlib import Path

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MNT_DETACH = 2
MADV_COLLAPSE = 25
HUGE_PAGE = 2**21

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_CAPABILITY_VERSION_3 = 0x20080522
# Newer calls, such as close_range and Landlock's, have one number on all architectures.
_CLOSE_RANGE = 436
_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(platform.machine(), -1)
_CAPSET = {"x86_64": 126, "aarch64": 91}.get(platform.machine(), -1)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def syscall(number: int, *args: int | bytes | None) -> int:
    """Makes a raw system call; raises OSError with its errno."""
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return _checked(_libc.syscall(ctypes.c_long(number), *converted), f"system call {number}")


def unshare(flags: int) -> None:
    """Moves this process (for pid namespaces: its next children) into new namespaces."""
    _checked(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    """Moves this process (for pid namespaces: its next children) into the namespace of `fd`."""
    _checked(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """mount(2)."""
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        data.encode(),
    )
    _checked(result, f"mount {source} at {target}")


def restrict_mounts(target: str, flags: int) -> None:
    """Sets flags on a mount and on all mounts below it, by mount_setattr(2) of Linux 5.12.

    Only MS_RDONLY, MS_NOSUID, MS_NODEV and MS_NOEXEC, whose numbers are MOUNT_ATTR_*'s too.
    """
    attr_set = struct.pack("=4Q", flags, 0, 0, 0)
    path = os.fsencode(target) + b"\0"
    syscall(_MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE, attr_set, len(attr_set))


def mount_points(table: Path = Path("/proc/self/mounts")) -> list[str]:
    """All mount points, in the order of mounting."""
    escaped = (line.split(b" ")[1] for line in table.read_bytes().splitlines())
    return [  # the kernel writes a blank or backslash as three octal digits
        os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), point))
        for point in escaped
    ]


def umount(target: str) -> None:
    """Detaches the file system that is mounted at `target`."""
    _checked(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    """pivot_root(2)."""
    syscall(_PIVOT_ROOT, os.fsencode(new), os.fsencode(old))


def prctl(option: int, value: int = 0, address: int = 0) -> None:
    """prctl(2)."""
    _checked(_libc.prctl(option, value, address, 0, 0), f"prctl {option}")


def close_all_but(keep: set[int]) -> None:
    """Closes every descriptor that is not in `keep`."""
    low = 0
    for fd in [*sorted(keep), 2**31 - 1]:
        if low < fd:
            syscall(_CLOSE_RANGE, low, fd - 1, 0)
        low = fd + 1


def collapse(start: int, end: int) -> None:
    """Moves memory between two addresses into huge pages, as far as the kernel can."""
    for address in range(-(-start // HUGE_PAGE) * HUGE_PAGE, end - HUGE_PAGE + 1, HUGE_PAGE):
        _libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(HUGE_PAGE), MADV_COLLAPSE)


def drop_bounding_set() -> None:
    """Gives up every capability for good, also for programs that are executed later."""
    for capability in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # this kernel knows no more capabilities
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)


def set_capabilities(kept: int) -> None:
    """Leaves this thread these effective, permitted and inheritable capabilities, a bit each."""
    low, high = kept & 0xFFFFFFFF, kept >> 32
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    syscall(_CAPSET, header, struct.pack("=6I", *[low] * 3, *[high] * 3))


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
