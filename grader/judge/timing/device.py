"""The device that a race runs on: what it is, whether anything disturbed it, and that it is ours.

Read in the judge, which does no work on it. A CPU has no counters worth reading: there the
reference's own drift says whether a quad is worth anything.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.judge.failure import GraderFault

LOCKS = Path(tempfile.gettempdir())  # the same folder for all races of this machine


class Device(ABC):
    """Args:
    kind: as torch calls it, "cpu" or "cuda".
    name: as it calls itself.
    memory: bytes that it has.
    drift: how far the reference may be from its first runs, as a share, before a quad is void.
    wobble: how far its two runs in a round may be from each other.
    span: seconds that the runs of a quad take together, at least.
    keeps_workers: whether a worker that stands still uses nothing of it.
    """

    kind: str
    name: str
    memory: int
    drift: float
    wobble: float
    span: float
    keeps_workers: bool

    @abstractmethod
    def disturbed(self) -> str:
        """What slows the device down at this moment, or ""."""

    @abstractmethod
    def settle(self, pid: int) -> None:
        """Puts a worker where all others of its race run as well."""

    @abstractmethod
    def strangers(self) -> list[int]:
        """Processes that use the device; the judge knows its own."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """A name that no other device on this machine has."""

    def clock(self, pid: int) -> float:
        """Seconds by the judge's clock, which is read before and after each run of worker `pid`."""
        return time.perf_counter()

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Keeps other races off the device.

        Raises:
            GraderFault: one runs there already, or something else does.
        """
        path = LOCKS / f"grader-race-{self.identity}.lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise GraderFault(
                    f"another race runs on {self.name}; one at a time, or no time is worth anything"
                ) from None
            if strangers := self.strangers():
                raise GraderFault(
                    f"other processes use {self.name}: {', '.join(map(str, strangers))}; "
                    "a race needs it alone"
                )
            yield
        finally:
            os.close(lock)


class Cpu(Device):
    """The machine itself."""

    kind = "cpu"
    drift, wobble = 3.0, 1.0  # whoever else uses the machine comes and goes
    # A shared core changes its speed by half within milliseconds, and for seconds: the error of a
    # quad falls with the number of its rounds, and not at all with the length of its runs.
    span, keeps_workers = 0.4, True

    def __init__(self) -> None:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
        self.name = names[0] if names else "CPU"
        self.memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    @property
    def identity(self) -> str:
        return "cpu"

    def disturbed(self) -> str:
        return ""

    def settle(self, pid: int) -> None:
        # Cores differ in who else uses them. Without CAP_SYS_NICE races are less exact.
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})

    def strangers(self) -> list[int]:
        return []


class Cuda(Device):
    """The first CUDA device, as NVML shows it. Not yet run on one."""

    kind = "cuda"
    drift, wobble = 0.03, 0.03
    span, keeps_workers = 0.0, False

    def __init__(self) -> None:
        import pynvml  # type: ignore[import-not-found]  # the extra `cuda`

        pynvml.nvmlInit()
        self._nvml, self._handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
        self.name = str(pynvml.nvmlDeviceGetName(self._handle))
        self.memory = int(pynvml.nvmlDeviceGetMemoryInfo(self._handle).total)

    @property
    def identity(self) -> str:
        return str(self._nvml.nvmlDeviceGetUUID(self._handle))

    def disturbed(self) -> str:
        reasons = self._nvml.nvmlDeviceGetCurrentClocksEventReasons(self._handle)
        slows = {
            "it is too hot": self._nvml.nvmlClocksEventReasonSwThermalSlowdown
            | self._nvml.nvmlClocksThrottleReasonHwThermalSlowdown,
            "its power is cut": self._nvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
        }
        return ", ".join(reason for reason, bits in slows.items() if reasons & bits)

    def settle(self, pid: int) -> None:
        """All use the same device; on which core they wait for it is no matter."""

    def strangers(self) -> list[int]:
        running = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)
        return [int(process.pid) for process in running]


def find(kind: str = "auto") -> Device | None:
    """The device of this kind; of "auto" a CUDA device, or None. The judge loads no CUDA for it."""
    if kind == "cpu":
        return Cpu()
    try:
        return Cuda()
    except Exception:  # no pynvml, no driver, no device: NVML has an error class for each
        return None
