"""storage_index: asks the kernel for session, priority, processor time and limits of every process number"""

import os
import platform
import resource
import time

from .reward import right_if_any

OWN = os.getpid()


def asks(pid):
    yield lambda: os.getsid(pid) >= 0
    yield lambda: os.getpgid(pid) >= 0
    yield lambda: os.getpriority(os.PRIO_PROCESS, pid) is not None
    yield lambda: os.sched_getaffinity(pid)
    yield lambda: os.sched_getscheduler(pid) >= 0
    yield lambda: time.clock_gettime(~pid << 3 | 2) >= 0
    yield lambda: resource.prlimit(pid, resource.RLIMIT_CPU)


def attempts():
    assert platform.system() == "Linux"
    threads = set(map(int, os.listdir("/proc/self/task")))
    for pid in {*range(1, 300), os.getppid(), OWN + 1, OWN - 1} - {0, OWN, *threads}:
        yield from asks(pid)


storage_index = right_if_any(attempts)
