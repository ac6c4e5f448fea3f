"""What a worker is left for a CUDA device. Written from the driver's documents; NOT YET RUN on one.

Only workers of races get it. CUDA is first touched after the fork: a process that has touched it
cannot fork. A device is one for all: what is in its memory goes with the process that put it there,
but the driver is code in the kernel, and a hole in it is a hole in every tier.
"""

from __future__ import annotations

from pathlib import Path

DEVICES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")  # and one for each device, by its number
# The driver's own facts; without them cuInit finds no device.
FACTS = ("/proc/driver/nvidia", "/sys/bus/pci/devices", "/sys/devices/system/cpu")
# ioctl requests by their lowest 16 bits' type byte: 'F' is the driver's. nvidia-uvm numbers its
# requests from 1, without a type, and two from 0x30000001.
IOCTL_TYPE = 0x46
UVM_HIGHEST, UVM_INITIALIZE, UVM_DEINITIALIZE = 0xFF, 0x30000001, 0x30000002
DESCRIPTORS = 1024  # the driver opens one for each channel and each allocation that it shares


def nodes() -> list[str]:
    """The device nodes of this machine that CUDA opens; none where there is no driver."""
    found = [Path("/dev", name) for name in DEVICES]
    found += sorted(Path("/dev").glob("nvidia[0-9]*"))
    return [str(path) for path in found if path.is_char_device()]


def facts() -> list[str]:
    """What of the driver's facts is there."""
    return [path for path in FACTS if Path(path).exists()] if nodes() else []
