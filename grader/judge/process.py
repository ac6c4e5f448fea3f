"""The state of a worker's process, read from the kernel. Nothing here relies on the worker."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path
from typing import Literal

from grader.judge.failure import GraderFault

Activity = Literal["running", "disk", "asleep", "stopped"]

_FIELD = re.compile(r"^(\w+):[ \t]*(.*)$", re.MULTILINE)
_RESIDENT = re.compile(r"^(RssAnon|RssFile|RssShmem|VmPTE):\s*(\d+) kB$", re.MULTILINE)
_TICKS = os.sysconf("SC_CLK_TCK")  # per second, the unit of CPU time in /proc/<pid>/stat


class Process:
    """A process by its id, until `forget`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._is_forgotten = False

    def forget(self) -> None:
        """From now on the process has ended: the kernel may give its id to another one."""
        self._is_forgotten = True

    def status(self) -> dict[str, str]:
        """The fields of `/proc/<pid>/status`; raises GraderFault if the process has ended."""
        try:
            return dict(_FIELD.findall(self._read("status")))
        except (FileNotFoundError, ProcessLookupError) as error:
            raise GraderFault("a worker's process ended before its status was checked") from error

    def resident(self, with_files: bool = False) -> int | None:
        """Resident memory and page tables in bytes; None if the process has ended.

        Args:
            with_files: also counts what is mapped of files. Memory that a device's driver has
                pinned counts there.
        """
        try:
            found = dict(_RESIDENT.findall(self._read("status")))
        except (FileNotFoundError, ProcessLookupError):
            return None
        if len(found) < 4:  # it is ending
            return None
        return 1024 * sum(int(kb) for of, kb in found.items() if with_files or of != "RssFile")

    def cpu(self) -> float | None:
        """CPU seconds that all of its threads have used together; None if it has ended."""
        if self._is_forgotten:
            return None
        # The id of another process's CPU clock, computed as clock_getcpuclockid(3) does.
        clock = ~self.pid << 3 | 2
        try:
            return time.clock_gettime(clock)
        except OSError:  # it has ended, or this kernel has no such clock
            pass
        try:
            fields = self._read("stat").rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def activity(self) -> Activity | None:
        """What it does now; None if it has ended.

        "running" if any thread runs or waits for a core; otherwise "disk" if any thread waits for
        the disk; "stopped" if a signal has stopped all of them; otherwise "asleep".
        """
        states = self._thread_states()
        if not states:
            return None
        if "T" in states and states <= set("TZX"):
            return "stopped"
        return "running" if "R" in states else "disk" if "D" in states else "asleep"

    def is_stopped(self) -> bool:
        """Whether all of its threads are stopped, or have ended."""
        return self._thread_states() <= set("TZX")

    def _thread_states(self) -> set[str]:
        """The states of its threads, as the letters that proc(5) lists."""
        states = set[str]()
        if self._is_forgotten:
            return states
        for thread in Path(f"/proc/{self.pid}/task").glob("*/stat"):
            with contextlib.suppress(OSError):  # the thread has ended since
                states.add(thread.read_text().rpartition(")")[2].split()[0])
        return states

    def _read(self, name: str) -> str:
        """One of its files in /proc; raises OSError if it has ended."""
        if self._is_forgotten:
            raise ProcessLookupError(f"process {self.pid} has ended")
        with open(f"/proc/{self.pid}/{name}", encoding="utf-8") as file:
            return file.read()
