"""Tricks that make a worker's start faster, each with its measured gain.

A gain of 1.2 means: without the trick a start takes 1.2 times the CPU time, that of the worker
until it is locked down and that of the zygote together. Measured in tier A on two busy cores, by
medians of 120 to 180 starts.

The seccomp filter has such tricks of its own (`seccomp.py`). `grader/preload.py` has one that makes
the zygote's start faster.

What a worker costs is mostly memory that it copies: a page for each object whose reference count
changes, 1000 of them until a worker is ready. Less code that runs there is the best trick. Paths as
text in place of `Path`, an environment that the zygote has set, probes that are sent as one text
and folders in memory made it 20 % fewer.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path


def import_without_fork_hooks() -> None:
    """Imports the modules that register hooks of `os.fork`, without registering them.

    They renew locks that another thread might hold, and seed `random`. The zygote has one thread,
    and a worker seeds itself.

    Gain: 1.2. The hooks would make each worker copy 180 more pages of memory.
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

    A fork copies the page table's entries, and a worker's end drops them; with 4 KiB pages there
    are many. Kernels before 6.1 refuse, and nothing changes.

    Gain: a factor of 2.0; with a worker's end 2.5.
    """
    from grader.sandbox import kernel  # not earlier: it imports `threading`, which registers hooks

    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, mode, _, _, inode, *name = line.split()
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            kernel.collapse(start, end)
