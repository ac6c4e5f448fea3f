"""The state of a worker's process, read from the kernel. Nothing here relies on the worker."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Literal

from grader.judge.failure import GraderFault

Activity = Literal["running", "disk", "asleep"]

_TICKS = os.sysconf("SC_CLK_TCK")  # per second, the unit of CPU time in /proc/<pid>/stat


def status(pid: int) -> dict[str, str]:
    """The fields of `/proc/<pid>/status`; raises GraderFault if the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError) as error:
        raise GraderFault("a worker's process ended before its status was checked") from error
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def resident(pid: int) -> int | None:
    """Resident memory in bytes, without file mappings; shared anonymous memory counts.

    None if the process has ended.
    """
    try:
        found = status(pid)
        return sum(int(found[name].split()[0]) * 1024 for name in ("RssAnon", "RssShmem"))
    except (GraderFault, KeyError):
        return None


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds that all threads of a process have used together; None if it has ended."""
    # The id of another process's CPU clock, computed as clock_getcpuclockid(3) does.
    clock = ~pid << 3 | 2
    try:
        return time.clock_gettime(clock)
    except OSError:  # it has ended, or this kernel has no such clock
        pass
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICKS


def activity(pid: int) -> Activity | None:
    """What a process does now; None if it has ended.

    "running" if any thread runs or waits for a core; otherwise "disk" if any thread waits for the
    disk; otherwise "asleep".
    """
    states = thread_states(pid)
    if not states:
        return None
    return "running" if "R" in states else "disk" if "D" in states else "asleep"


def is_stopped(pid: int) -> bool:
    """Whether all threads of a process are stopped, or have ended."""
    return thread_states(pid) <= set("TZX")


def thread_states(pid: int) -> set[str]:
    """The states of a process's threads, as the letters that proc(5) lists."""
    states = set()
    for thread in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # the thread has ended since
            states.add(thread.read_text().rpartition(")")[2].split()[0])
    return states
