"""The device that a race runs on: its facts, what disturbs it, and a lock on it.

All of it is read in the judge, which does no work on the device. A CPU has no useful counters:
there the drift of the reference decides whether a block counts.
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
    """A device.

    Attributes:
        kind: as torch calls it, "cpu" or "cuda".
        name: the model.
        memory: bytes that it has.
        keeps_workers: whether a stopped worker uses nothing of it.
    """

    kind: str
    name: str
    memory: int
    keeps_workers: bool

    @abstractmethod
    def disturbance(self) -> str:
        """What slows the device down at this moment, or ""."""

    @abstractmethod
    def pin_to_core(self, pid: int) -> None:
        """Lets a worker run on the same core as all others of its race."""

    @abstractmethod
    def other_processes(self) -> list[int]:
        """Processes that use the device now, before a race has started any."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """A name that is unique on this machine."""

    def clock(self, pid: int) -> float:
        """The judge's clock in seconds, read before and after each run of worker `pid`."""
        return time.perf_counter()

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Holds a lock on the device, so that no other race runs on it.

        Raises:
            GraderFault: another race or process uses it.
        """
        path = LOCKS / f"grader-race-{self.identity}.lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise GraderFault(f"another race runs on {self.name}; wait for its end") from None
            if others := self.other_processes():
                raise GraderFault(
                    f"other processes use {self.name}: {', '.join(map(str, others))}; "
                    "end them: a race needs it alone"
                )
            yield
        finally:
            os.close(lock)


class Cpu(Device):
    """The machine itself."""

    kind = "cpu"
    keeps_workers = True

    def __init__(self) -> None:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
        self.name = names[0] if names else "CPU"
        self.memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    @property
    def identity(self) -> str:
        return "cpu"

    def disturbance(self) -> str:
        return ""

    def pin_to_core(self, pid: int) -> None:
        # Other processes load the cores differently. Without CAP_SYS_NICE races are less exact.
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})

    def other_processes(self) -> list[int]:
        return []


class Cuda(Device):
    """The first CUDA device, as NVML shows it. Not yet run on one."""

    kind = "cuda"
    keeps_workers = False

    def __init__(self) -> None:
        import pynvml  # type: ignore[import-not-found]  # the extra `cuda`

        pynvml.nvmlInit()
        self._nvml, self._handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
        self.name = str(pynvml.nvmlDeviceGetName(self._handle))
        self.memory = int(pynvml.nvmlDeviceGetMemoryInfo(self._handle).total)

    @property
    def identity(self) -> str:
        return str(self._nvml.nvmlDeviceGetUUID(self._handle))

    def disturbance(self) -> str:
        reasons = self._nvml.nvmlDeviceGetCurrentClocksEventReasons(self._handle)
        slows = {
            "it is too hot": self._nvml.nvmlClocksEventReasonSwThermalSlowdown
            | self._nvml.nvmlClocksThrottleReasonHwThermalSlowdown,
            "its power is cut": self._nvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
        }
        return ", ".join(reason for reason, bits in slows.items() if reasons & bits)

    def pin_to_core(self, pid: int) -> None:
        """Does nothing: the core on which a worker waits for the device does not matter."""

    def other_processes(self) -> list[int]:
        running = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)
        return [int(process.pid) for process in running]


def find(kind: str = "auto") -> Device | None:
    """The device of this kind; for "auto" a CUDA device or None. Loads no CUDA."""
    if kind == "cpu":
        return Cpu()
    try:
        return Cuda()
    except Exception:  # no pynvml, no driver, no device: NVML has an error class for each
        return None
