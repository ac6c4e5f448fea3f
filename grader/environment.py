"""Undoes what a process inherits beside its environment variables, and runs a command in it."""

from __future__ import annotations

import io
import os
import resource
import select
import sys
from typing import Any

from grader import signals

# Soft limits of this process and so of the zygote, by their option of `ulimit`. Workers get lower
# ones, with each test; with the machine's in place of those right code would fail.
_LIMITS = {
    "f": (resource.RLIMIT_FSIZE, resource.RLIM_INFINITY),
    "t": (resource.RLIMIT_CPU, resource.RLIM_INFINITY),
    "v": (resource.RLIMIT_AS, resource.RLIM_INFINITY),
    "d": (resource.RLIMIT_DATA, resource.RLIM_INFINITY),
    "s": (resource.RLIMIT_STACK, 8 * 2**20),
}


def run() -> None:
    """Runs the command in `sys.argv`, whatever this process has inherited.

    Refuses with exit status 3 where the machine's limits are too low.
    """
    sys.argv[0] = "grader"
    sys.stdout, sys.stderr = _output(sys.stdout), _output(sys.stderr)
    from grader.cli import main
    from grader.terminal import FAULT, print_error

    signals.reset()
    os.umask(0o022)  # workers are other users and must be able to read the files made for them
    for option, (kind, soft) in _LIMITS.items():
        hard = resource.getrlimit(kind)[1]
        try:
            resource.setrlimit(kind, (soft, hard))
        except ValueError:
            wanted = "unlimited" if soft == resource.RLIM_INFINITY else f"{soft} bytes"
            print_error(
                f"`ulimit -H{option}` is too low: correct code could fail because of it. Expected "
                f"{wanted}, got {hard} (bytes, or seconds for -t). Start this from a shell without "
                "that limit."
            )
            sys.exit(FAULT)
    main()


class _Output(io.FileIO):
    """A descriptor whose writes never fail: a closed terminal or pipe must not undo a grade."""

    def write(self, data: Any) -> int:
        try:
            while (written := super().write(data)) is None:  # it does not block, and is full
                select.select([], [self], [])
        except OSError:
            return memoryview(data).nbytes
        return written


def _output(stream: Any) -> io.TextIOWrapper:
    """A standard stream anew: its writes never fail, and what it cannot encode becomes "?"."""
    raw = _Output(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, "replace", line_buffering=stream.line_buffering
    )
