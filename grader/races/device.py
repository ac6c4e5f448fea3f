"""The device that a race runs on: its facts, what disturbs it, and a lock on it.

All of it is read in the judge, which does no work on the device. A CPU has no useful counters:
there the drift of the reference decides whether a block counts.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assignment.calls.devices import allowed
from grader.faults import GraderFault

_LEAVING_SECONDS = 5.0  # that the driver may take to forget a process
_DRIVER_SECONDS = 60.0  # to start the driver
LOCKS = Path(tempfile.gettempdir())  # the same folder for all races of this machine


class Device(ABC):
    """A device."""

    kind: str  # as torch calls it, "cpu" or "cuda"
    name: str  # the model
    memory: int  # bytes
    keeps_workers: bool  # a stopped worker uses nothing of it

    def disturbance(self) -> str:
        """What has slowed the device down since this was last asked, or ""."""
        return ""

    @abstractmethod
    def pin_to_core(self, pid: int) -> None:
        """Lets a worker run on the same core as all others of its race."""

    def other_processes(self) -> list[int]:
        """Processes that use the device now, before a race has started any."""
        return []

    @property
    @abstractmethod
    def identity(self) -> str:
        """A name that is unique on this machine."""

    def clock(self, pid: int) -> float:
        """The judge's clock in seconds, read before and after each run of worker `pid`.

        Tests replace it by a clock that counts the CPU time of that process.
        """
        return time.perf_counter()

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Holds a lock on the device; raises GraderFault if another race or process uses it."""
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

    def pin_to_core(self, pid: int) -> None:
        # Other processes load the cores differently. Without CAP_SYS_NICE races are less exact.
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})


class NoDevice(Exception):
    """There is no CUDA device to measure on; the message says what is missing."""


class Cuda(Device):
    """The first CUDA device that this process may see, by NVML; raises NoDevice without one."""

    kind = "cuda"
    keeps_workers = False

    def __init__(self) -> None:
        try:
            import pynvml  # type: ignore[import-not-found]  # the extra `cuda`
        except ImportError:
            raise NoDevice("nvidia-ml-py is not installed: pip install nvidia-ml-py") from None
        self._nvml = pynvml
        try:
            pynvml.nvmlInit()
            self._handle = self._first_allowed()
            self.name = str(pynvml.nvmlDeviceGetName(self._handle))
            self.memory = int(pynvml.nvmlDeviceGetMemoryInfo(self._handle).total)
        except pynvml.NVMLError as error:
            raise NoDevice(f"NVIDIA's driver shows no device: {error}") from error
        self._slowed = self._slowed_so_far()

    def _first_allowed(self) -> Any:
        """NVML's handle of the first device in CUDA_VISIBLE_DEVICES, or of the first of all."""
        names = ["0"] if (found := allowed()) is None else found
        if not names:
            raise NoDevice("CUDA_VISIBLE_DEVICES hides all devices")
        if names[0].isdigit():
            return self._nvml.nvmlDeviceGetHandleByIndex(int(names[0]))
        return self._nvml.nvmlDeviceGetHandleByUUID(names[0])

    @property
    def identity(self) -> str:
        return str(self._nvml.nvmlDeviceGetUUID(self._handle))

    def disturbance(self) -> str:
        # Counters: a device that waits for its next run has cooled down by the time it is asked.
        before, self._slowed = self._slowed, self._slowed_so_far()
        return ", ".join(reason for reason, ns in self._slowed.items() if ns > before[reason])

    def _slowed_so_far(self) -> dict[str, int]:
        """Nanoseconds that each reason has slowed it since the driver started; 0 if unknown."""
        found = {}
        for reason, policy in (
            ("it is too hot", self._nvml.NVML_PERF_POLICY_THERMAL),
            ("its power is cut", self._nvml.NVML_PERF_POLICY_BOARD_LIMIT),
        ):
            found[reason] = 0
            with contextlib.suppress(self._nvml.NVMLError):  # this device does not count it
                status = self._nvml.nvmlDeviceGetViolationStatus(self._handle, policy)
                found[reason] = int(status.violationTime)
        return found

    def pin_to_core(self, pid: int) -> None:
        """Does nothing: the core on which a worker waits for the device does not matter."""

    def other_processes(self) -> list[int]:
        """The driver still shows processes that have just ended: asks until it shows none."""
        end = time.monotonic() + _LEAVING_SECONDS
        while True:
            running = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)
            if not running or time.monotonic() >= end:
                return [int(process.pid) for process in running]
            time.sleep(_LEAVING_SECONDS / 100)

    def start_driver(self) -> None:
        """Tries to start the driver, in a process that ends: only root can make its device nodes.

        Workers cannot, and neither may their zygote touch CUDA.
        """
        code = "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0)"
        subprocess.run(
            [sys.executable, "-I", "-c", code],
            timeout=_DRIVER_SECONDS,
            stderr=subprocess.DEVNULL,
            check=False,
        )


def find() -> Device | None:
    """A CUDA device, or None. Loads no CUDA."""
    try:
        return Cuda()
    except NoDevice:
        return None


def why_none() -> str:
    """Why `find` finds no CUDA device; "" if it finds one."""
    try:
        Cuda()
    except NoDevice as error:
        return str(error)
    return ""


def why_unused() -> str:
    """Why this machine's CUDA device cannot be used; "" if it can be, or if there is none."""
    return why_none() if Path("/dev/nvidiactl").exists() else ""
