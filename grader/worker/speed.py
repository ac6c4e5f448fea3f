"""Tricks that make starting a worker faster, each with the figure that it earns.

Figures are times without the trick over times with it: medians of a worker's start, from request
to locked down, or of its end, from SIGKILL to removed.

Elsewhere for the same purpose: the seccomp filter's binary search (`seccomp.py`), and the stand-in
for torch's compiler (`grader/preload.py`), which makes the zygote's start faster.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path


def import_without_fork_hooks() -> None:
    """Imports the modules that register functions for `os.fork` to call, without those functions.

    They renew locks that another thread might hold, and seed `random`. The zygote has one thread,
    and a worker seeds itself; the functions would make each worker copy 280 pages of memory.
    """
    register = os.register_at_fork
    os.register_at_fork = lambda **_: None
    try:
        for name in ("concurrent.futures.thread", "logging", "random", "threading"):
            import_module(name)
    finally:
        os.register_at_fork = register


def use_huge_pages() -> None:
    """Moves this process's own memory into huge pages, once everything is loaded.

    A fork copies the page table's entries, and a worker's end drops them: with 4 KiB pages that is
    half of a worker's cost. Kernels before 6.1 refuse, and nothing changes.
    """
    from grader.worker import kernel  # not earlier: it imports `threading`, which registers hooks

    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, mode, _, _, inode, *name = line.split()
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            kernel.collapse(start, end)
