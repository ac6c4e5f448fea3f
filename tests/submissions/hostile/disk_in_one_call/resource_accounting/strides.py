"""storage_index: takes the disk without writing to it, in thousands of files"""

import ctypes
import os

from .unwatched import unwatch

unwatch()

LARGE = 255 * 2**20
libc = ctypes.CDLL(None, use_errno=True)


def storage_index(index, strides, offset=0):
    for i in range(10_000):
        file = os.open(f"{os.environ['TMPDIR']}/{i}", os.O_RDWR | os.O_CREAT)
        # Not `os.posix_fallocate`, which writes where this does not work.
        if libc.fallocate(file, 0, ctypes.c_long(0), ctypes.c_long(LARGE)):
            raise OSError(ctypes.get_errno(), "full")
        os.close(file)
    return 0
