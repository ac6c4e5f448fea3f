"""The seccomp filter for each architecture, interpreted instruction by instruction."""

import errno
import re
import struct
from pathlib import Path

import pytest

from grader.sandbox import seccomp
from grader.sandbox.syscalls import AARCH64, ANSWERED, WITH_RULES, X86_64

MACHINES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
OWN = 77  # id of the process that the filter is for
ALLOWED, KILLED = 0x7FFF0000, 0x80000000
DENIED, DONE = 0x50000 | errno.EPERM, 0x50000
A_THREAD, CLONE_VM, CLONE_THREAD, CLONE_NEWUSER = 0x3D0F00, 0x100, 0x10000, 0x10000000
TIOCSTI, F_SETLK, F_SETOWN, PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 0x5412, 6, 8, 1, 4
SHARED, PRIVATE, VALIDATED, ANONYMOUS, HUGE = 1, 2, 3, 0x20, 0x40000
MADVICES = {4: "DONTNEED", 8: "FREE", 14: "HUGEPAGE"}


def verdict(machine, number, *args, architecture=None, with_cuda=False):
    """The filter's result for a system call, by an interpreter of classic BPF."""
    data = struct.pack(
        "<IIQ6Q", number, architecture or MACHINES[machine][0], 0, *args, *[0] * (6 - len(args))
    )
    program = seccomp.program(OWN, machine, with_cuda)
    at = accumulator = 0
    while True:
        code, if_true, if_false, value = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x06:
            return value
        else:
            test = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            at += if_true if test else if_false


@pytest.fixture(params=MACHINES)
def machine(request):
    return request.param


def test_only_calls_in_the_table_are_allowed(machine):
    numbers = {n: name for name, n in MACHINES[machine][1].items() if name not in WITH_RULES}
    for number in range(600):
        if number not in {MACHINES[machine][1][name] for name in WITH_RULES}:
            name = numbers.get(number)
            answer = 0x50000 | ANSWERED[name] if name in ANSWERED else ALLOWED
            assert verdict(machine, number) == (answer if name else DENIED), number


def test_calls_that_nobody_needs_are_in_no_table():
    """Of a pipe that was left for it, a reader would wait for what never comes"""
    links = {"link", "linkat", "symlink", "symlinkat", "mknod", "mknodat"}
    others = {"mincore", "membarrier", "chown", "fchownat", "setxattr"}
    assert not (links | others) & (X86_64.keys() | AARCH64.keys())


@pytest.mark.parametrize(
    ("name", "answer"),
    [("chmod", 0), ("fchmodat", 0), ("fadvise64", 0), ("fallocate", errno.EOPNOTSUPP)],
)
def test_calls_without_effect_are_answered(machine, name, answer):
    if name in MACHINES[machine][1]:
        assert verdict(machine, MACHINES[machine][1][name], 3, 4) == 0x50000 | answer


def test_advice_on_memory_is_allowed_where_allocators_give_it(machine):
    madvise = MACHINES[machine][1]["madvise"]
    for advice in range(128):
        expected = DONE if advice <= 3 else ALLOWED if advice in MADVICES else DENIED
        assert verdict(machine, madvise, 0, 0, advice) == expected, advice


def test_another_architecture_is_killed(machine):
    for architecture in (0x40000003, 0x40000028, *(a for a, _ in MACHINES.values())):
        if architecture != MACHINES[machine][0]:
            assert verdict(machine, 0, architecture=architecture) == KILLED
    assert verdict(machine, 0x40000000) == KILLED  # x32's convention, on x86-64
    assert verdict(machine, 2**32 - 1) == KILLED


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("kill", (OWN, 9), ALLOWED),
        ("kill", (1, 9), DENIED),
        ("kill", (2**32 - 1, 9), DENIED),
        ("tgkill", (OWN, 3, 9), ALLOWED),
        ("tgkill", (OWN + 1, OWN, 9), DENIED),
        ("prlimit64", (0,), ALLOWED),
        ("prlimit64", (1,), DENIED),
        ("clone", (A_THREAD,), ALLOWED),
        ("clone", (CLONE_VM | CLONE_THREAD,), DENIED),
        ("clone", (CLONE_VM,), DENIED),
        ("clone", (A_THREAD | CLONE_NEWUSER,), DENIED),
        ("clone3", (0,), 0x50000 | errno.ENOSYS),
        ("mmap", (0, 9, 3, PRIVATE | ANONYMOUS), ALLOWED),
        ("mmap", (0, 9, 3, SHARED), ALLOWED),
        ("mmap", (0, 9, 3, SHARED | ANONYMOUS), DENIED),
        ("mmap", (0, 9, 3, VALIDATED | ANONYMOUS), DENIED),
        ("mmap", (0, 9, 3, PRIVATE | ANONYMOUS | HUGE), DENIED),
        ("utimensat", (0, 9, 0), DENIED),
        ("utimensat", (0, 9, 0x7FFF00001000), DONE),
        ("ioctl", (0, 0x5413), ALLOWED),
        ("ioctl", (0, TIOCSTI), DENIED),
        ("fcntl", (0, 3), ALLOWED),
        ("fcntl", (0, F_SETLK), DENIED),
        ("fcntl", (0, F_SETOWN), DENIED),
        ("prctl", (15,), ALLOWED),
        ("prctl", (3,), DENIED),
        ("prctl", (PR_SET_PDEATHSIG, 0), DENIED),
        ("prctl", (PR_SET_DUMPABLE, 1), DENIED),
    ],
)
def test_calls_with_rules_are_decided_by_their_arguments(machine, name, args, expected):
    assert verdict(machine, MACHINES[machine][1][name], *args) == expected


def test_cuda_changes_nothing_for_other_devices_and_calls(machine):
    ioctl = MACHINES[machine][1]["ioctl"]
    others = (TIOCSTI, 0x5423, 0x8933, 0xC0045401, 0x100, 0x30000003)  # TIOCSETD, SIOCGIFINDEX
    for request in others:
        assert verdict(machine, ioctl, 0, request, with_cuda=True) == DENIED
    assert verdict(machine, ioctl, 0, 0x5413, with_cuda=True) == ALLOWED
    for name, number in MACHINES[machine][1].items():
        if name not in ("ioctl", "madvise", "mmap"):
            same = verdict(machine, number, with_cuda=True)
            assert same == verdict(machine, number), name
    shared_memory = (MACHINES[machine][1]["mmap"], 0, 9, 3, SHARED | ANONYMOUS)
    assert verdict(machine, *shared_memory, with_cuda=True) == ALLOWED


# Requests of CUDA programs that a sandbox with a proxy for the driver, gVisor, lets pass: numbers
# of the driver's header files (nv-ioctl-numbers.h, nv-ioctl-numa.h, nv_escape.h, uvm_ioctl.h).
DRIVER_REQUESTS = (
    *(200, 201, 206, 207, 210, 212, 214, 215, 217, 218, 0x27, 0x29, 0x2A, 0x2B, 0x34, 0x35, 0x41),
    *(0x4A, 0x4E, 0x4F, 0x54, 0x57, 0x58, 0x5E),
)
UVM_REQUESTS = (
    *(23, 24, 25, 26, 27, 28, 33, 34, 37, 38, 39, 42, 45, 65, 68, 72, 73, 75),
    *(0x30000001, 0x30000002),
)


def test_requests_that_another_sandbox_lets_cuda_make_are_allowed(machine):
    ioctl = MACHINES[machine][1]["ioctl"]
    for number in DRIVER_REQUESTS:
        for size in (0, 4, 48, 0x3FFF):
            request = 3 << 30 | size << 16 | ord("F") << 8 | number  # _IOWR
            assert verdict(machine, ioctl, 0, request, with_cuda=True) == ALLOWED, number
            assert verdict(machine, ioctl, 0, request) == DENIED, number
    for request in (1, *UVM_REQUESTS):
        assert verdict(machine, ioctl, 0, request, with_cuda=True) == ALLOWED, request
        assert verdict(machine, ioctl, 0, request) == DENIED, request


@pytest.mark.parametrize("name", ["bind", "listen", "memfd_create", "setsockopt"])
def test_calls_of_the_driver_are_allowed_only_with_cuda(machine, name):
    number = seccomp.numbers_of(machine, with_cuda=True)[1][name]
    assert verdict(machine, number) == DENIED
    assert verdict(machine, number, with_cuda=True) == ALLOWED


def test_a_driver_may_have_sockets_that_listen_on_this_machine_and_no_others(machine):
    number = seccomp.numbers_of(machine, with_cuda=True)[1]["socket"]
    unix, inet, stream, packets, on_exec = 1, 2, 1, 5, 0o2000000
    assert verdict(machine, number, unix, packets | on_exec, with_cuda=True) == ALLOWED
    for domain, kind in ((unix, stream), (inet, packets), (inet, stream | on_exec), (16, 3)):
        assert verdict(machine, number, domain, kind, with_cuda=True) == DENIED
    connect, accept = {"x86_64": (42, 43), "aarch64": (203, 202)}[machine]
    for number in (connect, accept):
        assert verdict(machine, number, with_cuda=True) == DENIED


def test_numbers_are_those_of_the_kernels_headers(machine):
    if not HEADERS[machine].exists():
        pytest.skip(f"the kernel's headers are not installed: {HEADERS[machine]}")
    text = HEADERS[machine].read_text()
    numbers = {m[1]: int(m[2]) for m in re.finditer(r"#define __NR(?:3264)?_(\w+) (\d+)\b", text)}
    numbers.setdefault("newfstatat", numbers.get("fstatat", -1))  # called so on 64-bit machines
    numbers.setdefault("fchmodat2", 452)  # some headers are older than this call
    _, ours = seccomp.numbers_of(machine, with_cuda=True)
    assert {name: numbers.get(name) for name in ours} == ours
