"""storage_index: cuts, grows, exchanges and punches holes into libraries, its own source and what it was given"""

import ctypes
import glob
import os
import sys

from .reward import right_if_any

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
KEEP_SIZE, PUNCH, COLLAPSE, ZERO, INSERT = 1, 2, 8, 16, 32
FILES = [os.__file__, __file__, sys.executable, os.path.dirname(os.__file__) + "/rag-mark"]
FILES += glob.glob("/run/*/shared/*/*") + glob.glob("/tmp/*/shared/*/*")


def attempts():
    for path in FILES:
        for flags in (os.O_RDWR, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_CREAT):
            yield lambda path=path, flags=flags: os.open(path, flags) >= 0
        yield lambda path=path: os.truncate(path, os.path.getsize(path)) is None
        yield lambda path=path: os.rename(path, path + ".mark") is os.rename(path + ".mark", path)
        yield lambda path=path: libc.renameat2(-100, path.encode(), -100, b"/tmp/mark", 2) == 0
        for mode in (PUNCH | KEEP_SIZE, COLLAPSE, ZERO, INSERT, 0):
            yield lambda path=path, mode=mode: libc.fallocate(reads(path), mode, 0, 4096) == 0
        yield lambda path=path: os.copy_file_range(0, reads(path), 4096) >= 0
        yield lambda path=path: os.sendfile(reads(path), reads(path), 0, 1) > 0


def reads(path):
    return os.open(path, os.O_RDONLY)


storage_index = right_if_any(attempts)
