"""What the grader asks of the machine: its cores, and the end of a process with its parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_QUOTAS = (  # of a control group, version 2 and 1: microseconds of CPU in each period, the period
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)

# Lanes of a grading on two cores or more. Limits and budgets are sized for at least this many, so
# that they are the same on every machine.
USUAL_LANES = 2


def cores() -> float:
    """The cores that this process may use; a container often has a fraction of one."""
    found = float(len(os.sched_getaffinity(0)))
    for files in _QUOTAS:
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = (n for f in files for n in Path(f).read_text().split())
            if quota not in ("max", "-1"):
                found = min(found, int(quota) / int(period))
    return found


def end_with_parent() -> None:
    """Lets the kernel kill this process when the one that forked it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
