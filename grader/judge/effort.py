"""Limits what the judge spends on the answers of one test: its memory, and its CPU time.

A test's own code, callbacks included, works on what a submission answers. On the reference no test
takes more than 50 MiB and 1.1 s. What takes ten times as much follows from the answers.
"""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from grader.faults import TooMuchWork
from grader.intake.bounded import address_space

MEMORY = 512 * 2**20  # bytes of address space, beyond what the process has before the test
SECONDS = 10.0  # of CPU time in user mode
_FREE = 2.0  # seconds of CPU time; what is beyond is charged to the submission


class Effort:
    """What one test has taken of the judge."""

    charged = 0.0  # seconds beyond the free ones, for the submission to pay once the test is over

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Too much memory within raises MemoryError, too much time TooMuchWork; sets `charged`."""
        began, usual = time.process_time(), resource.getrlimit(resource.RLIMIT_AS)
        handler = signal.signal(signal.SIGVTALRM, _raise_too_much_work)
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + MEMORY, usual[1]))
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, 1.0)  # again, if a test catches it
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            resource.setrlimit(resource.RLIMIT_AS, usual)
            signal.signal(signal.SIGVTALRM, handler)
            self.charged = max(0.0, time.process_time() - began - _FREE)


def _raise_too_much_work(*_: object) -> NoReturn:
    raise TooMuchWork(f"its answers took the judge more than {SECONDS:g} s of CPU time")
