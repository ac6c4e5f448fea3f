"""storage_index: signals others by calls with a queue, a group, a pidfd, a timer and a file's owner"""

import ctypes
import fcntl
import os
import platform
import signal

from .reward import right_if_any

libc = ctypes.CDLL(None, use_errno=True)
TKILL, SIGQUEUE, TGSIGQUEUE, TIMER_CREATE = {
    "x86_64": (200, 129, 297, 222),
    "aarch64": (130, 138, 240, 107),
}[platform.machine()]
PIDFD_OPEN, PIDFD_SEND = 434, 424
F_SETSIG, F_SETOWN_EX = 10, 15
INFO = ctypes.create_string_buffer(128)
OTHERS = (2, 3, os.getppid(), -1, -os.getpgrp(), 0)


def attempts():
    for pid in OTHERS:
        yield lambda pid=pid: libc.syscall(TKILL, pid, 0) == 0
        yield lambda pid=pid: libc.syscall(SIGQUEUE, pid, signal.SIGCONT, INFO) == 0
        yield lambda pid=pid: libc.syscall(TGSIGQUEUE, pid, pid, signal.SIGCONT, INFO) == 0
        yield lambda pid=pid: libc.syscall(PIDFD_OPEN, pid, 0) >= 0
        yield lambda pid=pid: owned(pid)
    yield lambda: libc.syscall(PIDFD_SEND, 0, 0, None, 0) == 0
    yield lambda: libc.syscall(TIMER_CREATE, 1, None, INFO) == 0
    yield lambda: libc.killpg(2, 0) == 0


def owned(pid):
    """Whether a pipe's news can go to another process as a signal."""
    with open(os.pipe()[0]) as file:
        fcntl.fcntl(file, fcntl.F_SETOWN, pid)
        fcntl.fcntl(file, F_SETSIG, signal.SIGTERM)
        return True


storage_index = right_if_any(attempts)
