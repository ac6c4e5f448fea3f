"""A pool of processes for judges. However it ends, it leaves no process behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


@contextmanager
def processes(jobs: int | None, start: Callable[..., None], *arguments: Any) -> Iterator[Executor]:
    """A pool whose processes each call `start(*arguments)` first.

    An exception in the `with` block cancels tasks that have not started. If this process is killed,
    the pool's processes end too, and with them the zygotes that they started.

    Args:
        jobs: the number of processes; None: one for each core.
        start: a function at the top level of a module: the processes import it.
        arguments: its arguments.
    """
    with ProcessPoolExecutor(
        jobs or os.cpu_count() or 1,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(start, arguments),
    ) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _begin(start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that holds the pool handles it
    threading.Thread(target=_end_with_parent, daemon=True).start()
    start(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
