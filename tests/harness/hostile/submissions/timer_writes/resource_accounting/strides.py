"""storage_index: has timers interrupt the serve loop thousands of times a second, and writes there"""

import os
import signal
import stat
import time


def write(number, frame):
    for fd in range(3, 100):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, b"tick")
        except OSError:
            pass


def storage_index(index, strides, offset=0):
    for which, number in (
        (signal.ITIMER_REAL, signal.SIGALRM),
        (signal.ITIMER_VIRTUAL, signal.SIGVTALRM),
        (signal.ITIMER_PROF, signal.SIGPROF),
    ):
        signal.signal(number, write)
        signal.setitimer(which, 1e-4, 1e-4)
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    return 0
