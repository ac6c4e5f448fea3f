"""Two tests at a time: the judge forks once its tests are collected, and both halves run them.

A test alternates between judge and worker, so one core idles. Each lane is a judge process with a
zygote and an exchange folder of its own; they share nothing but a queue of chapters, which is a
pipe that holds one byte for each. Outcomes of the second lane come back through another pipe.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

from grader.judge.failure import GraderFault


class Chapters:
    """A queue of numbers below 256, for processes that share it by fork."""

    def __init__(self, count: int) -> None:
        self._read, write = os.pipe()
        os.write(write, bytes(range(count)))
        os.close(write)

    def take(self) -> int | None:
        """The next number, which no other process gets; None once all are taken."""
        taken = os.read(self._read, 1)
        return taken[0] if taken else None

    def close(self) -> None:
        """Lets go of the pipe in this process."""
        os.close(self._read)


class SecondLane:
    """A forked copy of this process that runs `work` and sends back what it returns."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._read, write = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid:
            os.close(write)
            return
        status = 1
        try:
            os.close(self._read)
            with os.fdopen(write, "wb") as pipe:
                pipe.write(msgspec.msgpack.encode(work()))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def result(self, kind: type[Any]) -> Any:
        """What `work` returned; raises GraderFault if it did not come through."""
        with os.fdopen(self._read, "rb") as pipe:
            data = pipe.read()
        status = os.waitpid(self._pid, 0)[1]
        if status:
            raise GraderFault(f"the second lane ended with status {status}")
        return msgspec.msgpack.decode(data, type=kind)
