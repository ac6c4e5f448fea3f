"""seccomp: a filter that allows a list of system calls, as a classic BPF program built by hand.

Every other call gets EPERM, so that Python raises instead of hanging; a call in another
architecture's convention kills. The list is what torch needs (autograd, attention, torch.save,
memory maps); `tests/harness` tries what it must not allow. The allowed arguments were measured:
strace of gradings of the right submissions, and of threads, products and files in torch.

No filter sees two calls of x86-64, uretprobe (335) and uprobe (336): kernels since 6.11 and 6.18
let them pass. They do nothing where the kernel itself has put no probe: SIGILL, or an error.
"""

from __future__ import annotations

import array
import errno
import functools
import platform
import struct

from grader.isolation import CannotIsolate
from grader.sandbox import cuda, kernel, syscalls

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AND = 0x54
_NUMBER_AT, _ARCH_AT, _ARGS_AT = 0, 4, 16
_X32 = 0x40000000
# glibc's flags for a thread: VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID and
# CHILD_CLEARTID.
_CLONE_OF_THREADS = 0x003D0F00
_MAP_SHARED, _MAP_ANONYMOUS, _MAP_HUGETLB = 0x01, 0x20, 0x40000

_ARCHITECTURES = {  # number, calls, calls of CUDA workers
    "x86_64": (0xC000003E, syscalls.X86_64, syscalls.CUDA_X86_64),
    "aarch64": (0xC00000B7, syscalls.AARCH64, syscalls.CUDA_AARCH64),
}
_AF_UNIX, _SOCK_SEQPACKET, _SOCK_TYPES = 1, 5, 0xF

_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIO(N)CLEX
# DUPFD, flags, DUPFD_CLOEXEC. No owner, and no locks: by a lock on a library's file a worker could
# tell 63 bits at a time to every worker that runs meanwhile.
_FCNTLS = (0, 1, 2, 3, 4, 1030)
_PRCTLS = (15, 16)  # SET_NAME, GET_NAME: of a thread
_MADVICES = (4, 8, 14)  # DONTNEED, FREE, HUGEPAGE: glibc, mimalloc, numpy
_MADVICES_ON_READING = 3  # NORMAL, RANDOM, SEQUENTIAL and WILLNEED have the numbers up to this


@functools.lru_cache(maxsize=2)  # gain with the cache below: 1.1, as `speed.py` defines it
def program(pid: int, machine: str = platform.machine(), with_cuda: bool = False) -> bytes:
    """The filter for a process with this id, as it sees itself: an array of sock_filter.

    `with_cuda` also allows requests to the driver of a CUDA device. Raises as `numbers_of` does.
    """
    is_own_pid = _instruction(_JUMP_EQUAL, pid, 0, 1)
    template = _template(machine, with_cuda)
    return b"".join(is_own_pid if x == _IS_OWN_PID else x for x in template)


def numbers_of(machine: str, with_cuda: bool = False) -> tuple[int, dict[str, int]]:
    """The kernel's numbers for an architecture and its system calls; raises CannotIsolate."""
    try:
        architecture, numbers, of_cuda = _ARCHITECTURES[machine]
        return architecture, numbers | of_cuda if with_cuda else numbers
    except KeyError:
        known = " and ".join(_ARCHITECTURES)
        raise CannotIsolate(f"no table of system calls for {machine}; there are {known}") from None


@functools.lru_cache(maxsize=4)
def _template(machine: str, with_cuda: bool) -> tuple[bytes, ...]:
    """The filter's instructions, with `_IS_OWN_PID` in place of the check of the process's id."""
    architecture, numbers = numbers_of(machine, with_cuda)
    denied, skipped = _ERRNO | errno.EPERM, _ERRNO | 0  # skipped calls seem to succeed
    instructions = [
        *_load(_ARCH_AT),
        *_return_unless(_JUMP_EQUAL, architecture, _KILL),
        *_load(_NUMBER_AT),
        *_return_if(_JUMP_GREATER_EQUAL, _X32, _KILL),  # on x86-64 the convention of x32
    ]

    def rule(name: str, index: int, *checks: bytes) -> None:
        # Loads the argument of this index, to be checked. Other calls jump over all that: it is far
        # shorter than the longest jump, 255.
        body = [*_load(_argument(index)), *checks]
        instructions.extend([_instruction(_JUMP_EQUAL, numbers[name], 0, len(body)), *body])

    def allow_values(name: str, index: int, *values: int) -> None:
        checks = [line for value in values for line in _return_if(_JUMP_EQUAL, value, _ALLOW)]
        rule(name, index, *checks, _return(denied))

    allow_values("clone", 0, _CLONE_OF_THREADS)
    rule("kill", 0, _IS_OWN_PID, _return(_ALLOW), _return(denied))
    rule("tgkill", 0, _IS_OWN_PID, _return(_ALLOW), _return(denied))
    allow_values("prlimit64", 0, 0)
    # Without times it must fail: `Path.touch` then opens the file, which creates it. With times it
    # must not: `shutil.copy2` would fail too.
    rule("utimensat", 2, *_return_if(_JUMP_EQUAL, 0, denied), _return(skipped))
    if not with_cuda:  # a driver maps shared memory, and what it advises was never measured
        # Pages of shared memory stay while they are mapped nowhere, and then count nowhere.
        rule(
            "mmap",
            3,
            *_return_if(_JUMP_ANY_BIT, _MAP_HUGETLB, denied),
            _instruction(_AND, _MAP_SHARED | _MAP_ANONYMOUS),
            *_return_if(_JUMP_EQUAL, _MAP_SHARED | _MAP_ANONYMOUS, denied),
            _return(_ALLOW),
        )
        # PAGEOUT, COLD and REMOVE reach pages of files, MERGEABLE and COLLAPSE other processes.
        rule(
            "madvise",
            2,
            *_return_if_at_most(_MADVICES_ON_READING, skipped),
            *(x for n in _MADVICES for x in _return_if(_JUMP_EQUAL, n, _ALLOW)),
            _return(denied),
        )
    if "socket" in numbers:  # only for a driver
        rule(
            "socket",
            0,
            *_return_unless(_JUMP_EQUAL, _AF_UNIX, denied),
            *_load(_argument(1)),
            _instruction(_AND, _SOCK_TYPES),
            *_return_if(_JUMP_EQUAL, _SOCK_SEQPACKET, _ALLOW),
            _return(denied),
        )
    if with_cuda:
        rule(
            "ioctl",
            1,
            *_return_if_at_most(cuda.UVM_HIGHEST, _ALLOW),
            *_return_if(_JUMP_EQUAL, cuda.UVM_INITIALIZE, _ALLOW),
            *_return_if(_JUMP_EQUAL, cuda.UVM_DEINITIALIZE, _ALLOW),
            _instruction(_AND, 0xFF00),
            *_return_if(_JUMP_EQUAL, cuda.IOCTL_TYPE << 8, _ALLOW),
            *_load(_NUMBER_AT),  # other requests meet the usual rule
        )
    allow_values("ioctl", 1, *_IOCTLS)
    allow_values("fcntl", 1, *_FCNTLS)
    allow_values("prctl", 0, *_PRCTLS)
    ruled = syscalls.WITH_RULES
    if with_cuda:
        ruled = (ruled - {"madvise", "mmap"}) | {"socket"}
    verdicts = {number: _ALLOW for name, number in numbers.items() if name not in ruled}
    for name in syscalls.ANSWERED.keys() & numbers.keys():
        verdicts[numbers[name]] = _ERRNO | syscalls.ANSWERED[name]
    return (*instructions, *_search(verdicts, denied))


def install(filter_program: bytes) -> None:
    """Applies the filter to this thread, for good. NO_NEW_PRIVS must be set."""
    # Arrays have an address; a buffer of ctypes would create a type in each worker. Gain: 1.1.
    instructions = array.array("B", filter_program)
    address, _ = instructions.buffer_info()
    sock_fprog = array.array("B", struct.pack("@HP", len(filter_program) // 8, address))
    kernel.prctl(kernel.PR_SET_SECCOMP, 2, sock_fprog.buffer_info()[0])


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


_IS_OWN_PID = _instruction(_JUMP_EQUAL, 2**32 - 1, 0, 1)  # no process has this number


def _load(offset: int) -> list[bytes]:
    return [_instruction(_LOAD, offset)]


def _argument(index: int) -> int:
    """Offset of the low half of an argument; the values compared here fit into it."""
    return _ARGS_AT + 8 * index


def _return(value: int) -> bytes:
    return _instruction(_RETURN, value)


def _return_if(test: int, value: int, verdict: int) -> list[bytes]:
    return [_instruction(test, value, 0, 1), _return(verdict)]


def _return_if_at_most(value: int, verdict: int) -> list[bytes]:
    return [_instruction(_JUMP_GREATER_EQUAL, value + 1, 1, 0), _return(verdict)]


def _return_unless(test: int, value: int, verdict: int) -> list[bytes]:
    return [_instruction(test, value, 1, 0), _return(verdict)]


# --- speed: the binary search; see also the caches and `install` -------------------------------


def _search(verdicts: dict[int, int], denied: int) -> list[bytes]:
    """Finds the verdict on a call's number by binary search, in 7 steps instead of 130.

    The kernel runs a new filter for each call that it knows, to remember those that are always
    allowed. Gain: 1.25, as `speed.py` defines it.
    """

    def verdict(number: int) -> int:
        return verdicts.get(number, denied)

    # The verdict changes at each of these numbers.
    bounds = [n for n in range(max(verdicts) + 2) if verdict(n) != verdict(n - 1)]
    ends = sorted({denied, *verdicts.values()})
    tests: list[bytes] = []  # the returns of `ends` come after them

    def search(first: int, last: int) -> int:
        """Where the search between bounds[first - 1] and bounds[last] starts."""
        if first == last:
            return len(bounds) + ends.index(verdict(bounds[first - 1] if first else -1))
        middle = (first + last) // 2
        here = len(tests)
        tests.append(b"")  # reserves the place: the jumps go forward
        below, above = search(first, middle), search(middle + 1, last)
        jumps = above - here - 1, below - here - 1
        tests[here] = _instruction(_JUMP_GREATER_EQUAL, bounds[middle], *jumps)
        return here

    search(0, len(bounds))
    return [*tests, *map(_return, ends)]
