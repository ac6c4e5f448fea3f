"""seccomp: the system calls that are left, as a classic BPF program built by hand.

An allowlist. What is not on it gets EPERM, so that Python raises instead of hanging; a call in
another architecture's convention kills. Checked by what torch needs (autograd, attention,
torch.save, memory maps) and by what `tests/harness` tries.
"""

from __future__ import annotations

import array
import errno
import functools
import platform
import struct

from grader.worker import cuda, kernel
from grader.worker.syscalls import AARCH64, WITH_RULES, X86_64

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AND = 0x54
_NUMBER_AT, _ARCH_AT, _ARGS_AT = 0, 4, 16
_X32 = 0x40000000
_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag


class Unsupported(RuntimeError):
    """This machine's architecture has no table of system calls here."""


_ARCHITECTURES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}

_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIO(N)CLEX
# DUPFD, flags, DUPFD_CLOEXEC; no owner, and no locks: a lock on a library's file would carry
# 63 bits at a time to every worker that runs meanwhile.
_FCNTLS = (0, 1, 2, 3, 4, 1030)
_PRCTLS = (3, 15, 16, 0x53564D41)  # GET_DUMPABLE, SET_NAME, GET_NAME, SET_VMA


def supported() -> bool:
    """Whether there is a table for this machine's architecture."""
    return platform.machine() in _ARCHITECTURES


@functools.lru_cache(maxsize=2)
def program(pid: int, machine: str = platform.machine(), with_cuda: bool = False) -> bytes:
    """The filter for the process `pid` (as it sees itself), as an array of sock_filter.

    `with_cuda` also allows the requests that go to the driver of a CUDA device.

    Raises:
        Unsupported: there is no table for this architecture.
    """
    own = _line(_JUMP_EQUAL, pid, 0, 1)
    return b"".join(own if x == _IS_OWN_PID else x for x in _lines(machine, with_cuda))


@functools.lru_cache(maxsize=4)
def _lines(machine: str, with_cuda: bool) -> tuple[bytes, ...]:
    """The filter, one instruction each; `_IS_OWN_PID` stands where the process's id is known."""
    try:
        architecture, numbers = _ARCHITECTURES[machine]
    except KeyError:
        known = " and ".join(_ARCHITECTURES)
        raise Unsupported(f"no table of system calls for {machine}; there are {known}") from None
    denied = _ERRNO | errno.EPERM
    lines = [
        *_load(_ARCH_AT),
        *_unless(_JUMP_EQUAL, architecture, _KILL),
        *_load(_NUMBER_AT),
        *_when(_JUMP_GREATER_EQUAL, _X32, _KILL),  # on x86-64 another convention; else too high
    ]

    def rule(name: str, *body: bytes) -> None:
        # Skips the body for other calls; a body is far shorter than a jump's 255.
        lines.extend([_line(_JUMP_EQUAL, numbers[name], 0, len(body)), *body])

    only_own = [*_load(_argument(0)), _IS_OWN_PID, _return(_ALLOW), _return(denied)]
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
    if with_cuda:
        requests = (
            *_load(_argument(1)),
            *_unless_greater(cuda.UVM_HIGHEST, _ALLOW),
            *_when(_JUMP_EQUAL, cuda.UVM_INITIALIZE, _ALLOW),
            *_when(_JUMP_EQUAL, cuda.UVM_DEINITIALIZE, _ALLOW),
            _line(_AND, 0xFF00),
            *_when(_JUMP_EQUAL, cuda.IOCTL_TYPE << 8, _ALLOW),
        )
        lines.extend([_line(_JUMP_EQUAL, numbers["ioctl"], 0, len(requests) + 1), *requests])
        lines.append(_load(_NUMBER_AT)[0])
    for name, at, values in (
        ("ioctl", 1, _IOCTLS),
        ("fcntl", 1, _FCNTLS),
        ("prctl", 0, _PRCTLS),
    ):
        checks = [line for value in values for line in _when(_JUMP_EQUAL, value, _ALLOW)]
        rule(name, *_load(_argument(at)), *checks, _return(denied))
    lines.extend(_search({numbers[name] for name in numbers.keys() - WITH_RULES}, denied))
    return tuple(lines)


def _search(allowed: set[int], denied: int) -> list[bytes]:
    """Finds a call's number by halving, in 7 steps instead of 130.

    The kernel runs a new filter for each call that it knows, to remember what is always allowed.
    """
    # The verdict changes at each of these numbers, from denied to allowed first.
    bounds = [n for n in range(max(allowed) + 2) if (n in allowed) != (n - 1 in allowed)]
    tests: list[bytes] = []  # behind them stand the two verdicts

    def search(first: int, last: int) -> int:
        """The place that finds the verdict of what lies between bounds[first - 1] and [last]."""
        if first == last:
            return len(bounds) + first % 2
        middle = (first + last) // 2
        here = len(tests)
        tests.append(b"")  # its place is taken before those that it leads to
        below, above = search(first, middle), search(middle + 1, last)
        tests[here] = _line(_JUMP_GREATER_EQUAL, bounds[middle], above - here - 1, below - here - 1)
        return here

    search(0, len(bounds))
    return [*tests, _return(denied), _return(_ALLOW)]


def install(filter_program: bytes) -> None:
    """Puts the filter in force for this thread, for good. NO_NEW_PRIVS must be set."""
    # Arrays have an address; a buffer of ctypes would make a type for its length in each worker.
    instructions = array.array("B", filter_program)
    address, _ = instructions.buffer_info()
    sock_fprog = array.array("B", struct.pack("@HP", len(filter_program) // 8, address))
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, sock_fprog.buffer_info()[0])


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


_IS_OWN_PID = _line(_JUMP_EQUAL, 2**32 - 1, 0, 1)  # no process has this number


def _load(offset: int) -> list[bytes]:
    return [_line(_LOAD, offset)]


def _argument(index: int) -> int:
    """Where the low half of an argument lies; the values compared here fit into it."""
    return _ARGS_AT + 8 * index


def _return(value: int) -> bytes:
    return _line(_RETURN, value)


def _when(test: int, value: int, verdict: int) -> list[bytes]:
    return [_line(test, value, 0, 1), _return(verdict)]


def _unless_greater(value: int, verdict: int) -> list[bytes]:
    return [_line(_JUMP_GREATER_EQUAL, value + 1, 1, 0), _return(verdict)]


def _unless(test: int, value: int, verdict: int) -> list[bytes]:
    return [_line(test, value, 1, 0), _return(verdict)]
