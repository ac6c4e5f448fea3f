"""What a worker may reach of a CUDA device.

From what the driver was seen to do in other sandboxes; it was enough for an H100 with driver 580.

Only workers of races get it. They touch CUDA after their fork: a process that has used CUDA cannot
fork. All workers share the device: its memory is freed with the process that allocated it, but the
driver is code in the kernel, and a hole in it is a hole in every tier.
"""

from __future__ import annotations

import os
from pathlib import Path

_DEVICES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")  # and one for each device, by its number
# What cuInit reads: which modules are loaded and ready, and where on the bus the devices are. The
# kernel counts for all processes in some of them.
_KERNEL_FOLDERS = ("/sys/bus/pci", "/sys/devices", "/sys/module")
_KERNEL_FILES = tuple(
    f"/proc/{name}" for name in ("cpuinfo", "devices", "driver", "meminfo", "modules")
)
# Where containers and clusters put the driver's libraries, beside the usual folders.
_DRIVER_LIBRARIES = ("/usr/local/nvidia",)
# The driver names its threads there, and fails if it cannot.
WRITABLE = ("/proc/self/task",)
# The second lowest byte of an ioctl request is its type: 'F' is the driver's. nvidia-uvm numbers
# its requests from 1, without a type, and two from 0x30000001.
IOCTL_TYPE = 0x46
UVM_HIGHEST, UVM_INITIALIZE, UVM_DEINITIALIZE = 0xFF, 0x30000001, 0x30000002
DESCRIPTORS = 1024  # the driver opens one for each channel and each allocation that it shares


def device_nodes() -> list[str]:
    """The device nodes of this machine that CUDA opens; none where there is no driver."""
    found = [Path("/dev", name) for name in _DEVICES]
    found += sorted(Path("/dev").glob("nvidia[0-9]*"))
    found += sorted(Path("/dev/nvidia-caps").glob("*"))  # a part of a device, as MIG divides it
    return [str(path) for path in found if path.is_char_device()]


def kernel_folders() -> list[str]:
    """The folders of /sys that CUDA reads."""
    return [path for path in _KERNEL_FOLDERS if Path(path).is_dir()]


def kernel_files() -> list[str]:
    """The files and folders of /proc that CUDA reads, beside those of the worker itself."""
    return [path for path in _KERNEL_FILES if Path(path).exists()]


def libraries() -> list[str]:
    """Folders that may hold the driver's libraries, besides the usual ones for libraries."""
    named = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = map(Path, (*_DRIVER_LIBRARIES, *named))
    return [str(folder) for folder in folders if folder.is_absolute() and folder.is_dir()]
