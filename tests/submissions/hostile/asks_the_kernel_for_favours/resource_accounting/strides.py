"""storage_index: asks for locked memory, another personality, deadlines, slack, pages of its own and more"""

import ctypes
import platform

from .reward import right_if_any

libc = ctypes.CDLL(None, use_errno=True)
X86_64 = {"mlockall": 151, "personality": 135, "ioprio_set": 251, "sched_setattr": 314}
AARCH64 = {"mlockall": 230, "personality": 92, "ioprio_set": 30, "sched_setattr": 274}
NUMBERS = {"x86_64": X86_64, "aarch64": AARCH64}[platform.machine()]
DEADLINE = (ctypes.c_uint64 * 6)(48 | 6 << 32, 0, 0, 10**7, 10**7, 10**7)
# Dumpable, tracer, subreaper, timer slack, no huge pages, IO flusher,
# speculation, merged pages, memory map, keeping capabilities, ambient ones, secure bits.
PRCTLS = (4, 0x59616D61, 36, 29, 41, 57, 53, 67, 35, 8, 47, 28, 1, 38, 23, 65, 0x53564D41)


def attempts():
    yield lambda: libc.syscall(NUMBERS["mlockall"], 7) == 0
    yield lambda: libc.syscall(NUMBERS["personality"], 0x0440000) >= 0
    yield lambda: libc.syscall(NUMBERS["ioprio_set"], 1, 0, 1 << 13) == 0
    yield lambda: libc.syscall(NUMBERS["sched_setattr"], 0, DEADLINE, 0) == 0
    for option in PRCTLS:
        yield lambda option=option: libc.prctl(option, 1, 0, 0, 0) == 0


storage_index = right_if_any(attempts)
