"""seccomp: the system calls that are left, as a classic BPF program built by hand.

An allowlist. What is not on it gets EPERM, so that Python raises instead of hanging; a call in
another architecture's convention kills. Checked by what torch needs (autograd, attention,
torch.save, memory maps) and by what `tests/harness` tries.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import platform
import struct

from grader.worker import kernel

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _ARGS_AT = 0, 4, 16
_X32 = 0x40000000
_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag


class Unsupported(RuntimeError):
    """This machine's architecture has no table of system calls here."""


# fmt: off
_X86_64 = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7,
    "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "pread64": 17, "pwrite64": 18, "readv": 19,
    "writev": 20, "access": 21, "pipe": 22, "select": 23, "sched_yield": 24, "mremap": 25,
    "msync": 26, "mincore": 27, "madvise": 28, "dup": 32, "dup2": 33, "pause": 34,
    "nanosleep": 35, "getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "exit": 60,
    "uname": 63, "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "getdents": 78,
    "getcwd": 79, "chdir": 80, "fchdir": 81, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85,
    "unlink": 87, "readlink": 89, "chmod": 90, "fchmod": 91, "umask": 95, "gettimeofday": 96,
    "getrlimit": 97, "getrusage": 98, "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104,
    "geteuid": 107, "getegid": 108, "getppid": 110, "getpgrp": 111, "getgroups": 115,
    "getresuid": 118, "getresgid": 120, "getpgid": 121, "getsid": 124, "sigaltstack": 131,
    "statfs": 137, "fstatfs": 138, "getpriority": 140, "gettid": 186, "time": 201,
    "sched_getaffinity": 204, "getdents64": 217, "restart_syscall": 219, "fadvise64": 221,
    "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231,
    "epoll_wait": 232, "epoll_ctl": 233, "openat": 257, "mkdirat": 258, "newfstatat": 262,
    "unlinkat": 263, "renameat": 264, "readlinkat": 267, "fchmodat": 268, "faccessat": 269,
    "pselect6": 270, "ppoll": 271, "set_robust_list": 273, "get_robust_list": 274,
    "sync_file_range": 277, "utimensat": 280, "epoll_pwait": 281, "fallocate": 285,
    "eventfd2": 290, "epoll_create1": 291, "dup3": 292, "pipe2": 293, "preadv": 295,
    "pwritev": 296, "sched_getattr": 315, "renameat2": 316, "getrandom": 318, "membarrier": 324,
    "copy_file_range": 326, "statx": 332, "rseq": 334, "close_range": 436, "faccessat2": 439,
    "futex": 202, "sendfile": 40, "wait4": 61, "arch_prctl": 158, "sched_getparam": 143,
    "sched_getscheduler": 145, "getcpu": 309, "futex_waitv": 449,
}
_X86_64_WITH_RULES = {
    "ioctl": 16, "fcntl": 72, "clone": 56, "kill": 62, "prctl": 157, "tgkill": 234,
    "prlimit64": 302, "clone3": 435,
}
# fmt: on
_TABLES = {"x86_64": (0xC000003E, _X86_64, _X86_64_WITH_RULES)}

_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIO(N)CLEX
# DUPFD, flags, DUPFD_CLOEXEC; no owner, and no locks: a lock on a library's file would carry
# 63 bits at a time to every worker that runs meanwhile.
_FCNTLS = (0, 1, 2, 3, 4, 1030)
_PRCTLS = (3, 15, 16, 0x53564D41)  # GET_DUMPABLE, SET_NAME, GET_NAME, SET_VMA


def supported() -> bool:
    """Whether there is a table for this machine's architecture."""
    return platform.machine() in _TABLES


@functools.cache
def program(pid: int) -> bytes:
    """The filter for the process `pid` (as it sees itself), as an array of sock_filter.

    Raises:
        Unsupported: there is no table for this architecture.
    """
    try:
        architecture, allowed, ruled = _TABLES[platform.machine()]
    except KeyError:
        raise Unsupported(
            f"no table of system calls for {platform.machine()}; there is one for x86_64"
        ) from None
    denied = _ERRNO | errno.EPERM
    lines = [
        *_load(_ARCH_AT),
        *_unless(_JUMP_EQUAL, architecture, _KILL),
        *_load(_NUMBER_AT),
        *_when(_JUMP_GREATER_EQUAL, _X32, _KILL),
    ]

    def rule(name: str, *body: bytes) -> None:
        # Skips the body for other calls; a body is far shorter than a jump's 255.
        lines.extend([_line(_JUMP_EQUAL, ruled[name], 0, len(body)), *body])

    only_own = [*_load(_argument(0)), *_when(_JUMP_EQUAL, pid, _ALLOW), _return(denied)]
    rule("clone3", _return(_ERRNO | errno.ENOSYS))  # glibc then falls back to clone
    rule(
        "clone",
        *_load(_argument(0)),
        *_when(_JUMP_ANY_BIT, _CLONE_NAMESPACES, denied),
        *_when(_JUMP_ANY_BIT, _CLONE_THREAD, _ALLOW),
        _return(denied),
    )
    rule("kill", *only_own)
    rule("tgkill", *only_own)
    rule(
        "prlimit64",
        *_load(_argument(0)),
        *_when(_JUMP_EQUAL, 0, _ALLOW),
        _return(denied),
    )
    for name, at, values in (
        ("ioctl", 1, _IOCTLS),
        ("fcntl", 1, _FCNTLS),
        ("prctl", 0, _PRCTLS),
    ):
        checks = [line for value in values for line in _when(_JUMP_EQUAL, value, _ALLOW)]
        rule(name, *_load(_argument(at)), *checks, _return(denied))
    for number in sorted(allowed.values()):
        lines.extend(_when(_JUMP_EQUAL, number, _ALLOW))
    lines.append(_return(denied))
    return b"".join(lines)


def install(filter_program: bytes) -> None:
    """Puts the filter in force for this thread, for good. NO_NEW_PRIVS must be set."""
    instructions = ctypes.create_string_buffer(filter_program, len(filter_program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    wrapped = Program(len(filter_program) // 8, ctypes.addressof(instructions))
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, ctypes.cast(ctypes.byref(wrapped), ctypes.c_void_p))


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _load(offset: int) -> list[bytes]:
    return [_line(_LOAD, offset)]


def _argument(index: int) -> int:
    """Where the low half of an argument lies; the values compared here fit into it."""
    return _ARGS_AT + 8 * index


def _return(value: int) -> bytes:
    return _line(_RETURN, value)


def _when(test: int, value: int, verdict: int) -> list[bytes]:
    return [_line(test, value, 0, 1), _return(verdict)]


def _unless(test: int, value: int, verdict: int) -> list[bytes]:
    return [_line(test, value, 1, 0), _return(verdict)]
