"""storage_index: writes random bytes to the channel"""

import os
import stat
import sys

from grader.wire import frames


def channel():
    for fd in range(3, 100):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            pass


def current():
    frame = sys._getframe()
    while "call_id" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["call_id"]


def frame(number, value):
    return b"".join(bytes(part) for part in frames.encode(number, value))


def storage_index(index, strides, offset=0):
    os.write(channel(), os.urandom(100_000))
