"""Two tests at a time: the judge forks once its tests are collected, and both halves run them.

A test alternates between judge and worker, so one core idles. Each lane is a judge process with a
zygote and an exchange folder of its own; they share nothing but a queue of groups of
tests, which is a pipe that holds one byte for each. Outcomes of the second lane come back through
another pipe.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from grader.judge.failure import GraderFault

_PR_SET_PDEATHSIG = 1
_QUOTAS = (  # of a control group, version 2 and 1: microseconds of CPU, in so many
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def cores() -> float:
    """The cores that this process may use: in a container often half of one, on a large machine."""
    found = float(len(os.sched_getaffinity(0)))
    for files in _QUOTAS:
        with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = (n for f in files for n in Path(f).read_text().split())
            if quota not in ("max", "-1"):
                found = min(found, int(quota) / int(period))
    return found


class Queue:
    """A queue of numbers below 256, for processes that share it by fork."""

    def __init__(self, count: int) -> None:
        self._read, write = os.pipe()
        os.write(write, bytes(range(count)))
        os.close(write)

    def take(self) -> int | None:
        """The next number, which no other process gets; None once all are taken."""
        taken = os.read(self._read, 1)
        return taken[0] if taken else None

    def close(self) -> None:
        """Lets go of the pipe in this process."""
        os.close(self._read)


def end_with_parent() -> None:
    """Lets the kernel kill this process when the one that forked it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class SecondLane:
    """A forked copy of this process that runs `work` and sends back what it returns."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._read, write = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid:
            os.close(write)
            return
        status = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's end is this one's
            end_with_parent()
            os.close(self._read)
            with os.fdopen(write, "wb") as pipe:
                pipe.write(msgspec.msgpack.encode(work()))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def result(self, kind: type[Any]) -> Any:
        """What `work` returned; raises GraderFault if it did not come through."""
        with os.fdopen(self._read, "rb") as pipe:
            data = pipe.read()
        status = os.waitpid(self._pid, 0)[1]
        if status:
            raise GraderFault(f"the second lane ended with status {status}")
        return msgspec.msgpack.decode(data, type=kind)
