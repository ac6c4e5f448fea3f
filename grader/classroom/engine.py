"""Processes with one started grader each, for what grades many submissions.

However an engine ends, it leaves no process behind. After an exception a process has a new grader,
and after a fault of the grader the work is done once more.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import util
from typing import Any, TypeVar

from grader.faults import GraderFault
from grader.judge.grader import Grader

Result = TypeVar("Result")


class Engine:
    """Submits work to the processes; made by `started`."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def submit(self, work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Has a process call `work(grader, *arguments)`, a function at the top of a module."""
        return self._pool.submit(_do, work, arguments)


@contextmanager
def started(start: Callable[[], Grader], jobs: int | None = None) -> Iterator[Engine]:
    """An engine, whose processes each call `start` before any work.

    An exception in the `with` block kills the processes, and so does the end of this one; the
    zygotes that they started end with them.

    Args:
        start: makes a grader; a function at the top of a module, or a partial of one.
        jobs: the number of processes; None: one for each core.
    """
    with ProcessPoolExecutor(
        jobs or os.cpu_count() or 1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(start,),
    ) as pool:
        try:
            yield Engine(pool)
        except BaseException:
            for process in multiprocessing.active_children():
                process.kill()
            raise


# --- in a process of the engine ------------------------------------------------------------------

_start: Callable[[], Grader]
_grader: Grader


def _begin(start: Callable[[], Grader]) -> None:
    """Gives this process its grader, which is closed when the process ends."""
    global _start, _grader
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that holds the engine handles it
    threading.Thread(target=_exit_after_parent, daemon=True).start()
    _start, _grader = start, start()
    util.Finalize(None, lambda: _grader.__exit__(), exitpriority=1)


def _exit_after_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _do(work: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    global _grader
    try:
        return work(_grader, *arguments)
    except Exception as error:
        _grader.__exit__()  # replies to its last requests may still be on the way
        _grader = _start()
        if not isinstance(error, GraderFault):
            raise
        return work(_grader, *arguments)
