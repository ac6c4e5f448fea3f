"""A pool of processes, each with a judge of its own: it leaves nothing behind, however it ends."""

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
    """A pool that runs `start(*arguments)` first in each of its processes.

    Leaving it by an exception drops what is not under way. If this process is killed, the pool's
    end too, and with them the zygotes that they started.

    Args:
        jobs: how many processes; as many as there are cores if None.
        start: a function of a module: it is imported in the processes.
        arguments: what it is called with.
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that holds the pool
    threading.Thread(target=_end_with_parent, daemon=True).start()
    start(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
