"""Measures the files that a worker keeps on the disk without a name: no folder shows them.

A child of the zygote does it, as the worker's user, which may look at its own processes.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path

from grader.isolation import DISK_MIB, SCRATCH_MIB
from grader.sandbox.sandbox import Sandbox
from grader.wire import messages

_DELETED = b" (deleted)"
_MAX_MAPS = 16 * 2**20  # bytes that are read of /proc/…/maps; an honest worker has 1 MiB


def measure(sandbox: Sandbox, request: messages.MeasureUnlinked, control: socket.socket) -> None:
    """Becomes the worker's user, measures, and sends the reply on the control socket."""
    sandbox.become_like(request.pid, request.uid)
    size = unlinked_bytes(Path("/proc", str(request.pid)), f"{sandbox.run}/")
    messages.send(control, messages.Unlinked(size=size))


def unlinked_bytes(process: Path, below: str) -> int:
    """Bytes on disk of the nameless files that a process has open or mapped; 0 if it has ended.

    `process` is its folder in /proc. The kernel does not tell the size of a file that is only
    mapped: if it was in the folder `below`, it counts as the largest that a worker may have. If too
    much is mapped to look at, the answer is more than a worker may keep.
    """
    sizes, start = dict[int, int](), os.fsencode(below)  # by inode
    with contextlib.suppress(OSError):
        with (process / "maps").open("rb") as file:
            mapped = file.read(_MAX_MAPS)
        if len(mapped) == _MAX_MAPS:  # the rest could take minutes and gigabytes
            return (DISK_MIB + 1) * 2**20
        for line in mapped.split(b"\n"):
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[5].startswith(start) and fields[5].endswith(_DELETED):
                sizes[int(fields[4])] = SCRATCH_MIB * 2**20
    with contextlib.suppress(OSError):
        for descriptor in (process / "fd").iterdir():
            with contextlib.suppress(OSError):  # it has been closed
                found = descriptor.stat()
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                    sizes[found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())
