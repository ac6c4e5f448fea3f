"""What a worker may reach of a CUDA device.

Written from the driver's documents; NOT YET RUN on a device.

Only workers of races get it. They touch CUDA after their fork: a process that has used CUDA cannot
fork. All workers share the device: its memory is freed with the process that allocated it, but the
driver is code in the kernel, and a hole in it is a hole in every tier.
"""

from __future__ import annotations

from pathlib import Path

DEVICES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")  # and one for each device, by its number
# What cuInit reads; without these it finds no device.
DRIVER_FILES = ("/proc/driver/nvidia", "/sys/bus/pci/devices", "/sys/devices/system/cpu")
# The second lowest byte of an ioctl request is its type: 'F' is the driver's. nvidia-uvm numbers
# its requests from 1, without a type, and two from 0x30000001.
IOCTL_TYPE = 0x46
UVM_HIGHEST, UVM_INITIALIZE, UVM_DEINITIALIZE = 0xFF, 0x30000001, 0x30000002
DESCRIPTORS = 1024  # the driver opens one for each channel and each allocation that it shares


def device_nodes() -> list[str]:
    """The device nodes of this machine that CUDA opens; none where there is no driver."""
    found = [Path("/dev", name) for name in DEVICES]
    found += sorted(Path("/dev").glob("nvidia[0-9]*"))
    return [str(path) for path in found if path.is_char_device()]


def driver_files() -> list[str]:
    """The `DRIVER_FILES` that exist on this machine; none without a CUDA device."""
    return [path for path in DRIVER_FILES if Path(path).exists()] if device_nodes() else []
