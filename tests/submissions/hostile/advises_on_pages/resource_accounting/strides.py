"""storage_index: has pages merged, collapsed, wiped, paged out, guarded or taken from others"""

import ctypes
import mmap
import platform

from .reward import right_if_any

libc = ctypes.CDLL(None, use_errno=True)
PROCESS_MADVISE, MOVE_PAGES = 440, {"x86_64": 279, "aarch64": 239}[platform.machine()]
MBIND, MIGRATE = {"x86_64": (237, 256), "aarch64": (235, 238)}[platform.machine()]
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
MEMORY = mmap.mmap(-1, 2**22, PRIVATE)
START = ctypes.addressof(ctypes.c_char.from_buffer(MEMORY))
# Removed, not inherited, wiped, merged, collapsed, populated, cold, paged out, guarded.
ADVICE = (9, 10, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 25, 102, 103)


def attempts():
    for advice in ADVICE:
        yield lambda advice=advice: libc.madvise(ctypes.c_void_p(START), 4096, advice) == 0
    yield lambda: libc.syscall(PROCESS_MADVISE, 0, None, 0, 21, 0) == 0
    yield lambda: libc.syscall(MOVE_PAGES, 0, 0, None, None, None, 0) == 0
    yield lambda: libc.syscall(MIGRATE, 0, 0, None, None) == 0
    yield lambda: libc.syscall(MBIND, ctypes.c_void_p(START), 4096, 0, None, 0, 0) == 0
    yield lambda: libc.prctl(67, 1, 0, 0, 0) == 0


storage_index = right_if_any(attempts)
