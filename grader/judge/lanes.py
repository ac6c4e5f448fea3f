"""Lanes: processes that run the tests of one grading beside each other.

A test alternates between judge and worker, so one lane leaves a core idle. Each lane is a judge
process with a zygote, and with a folder for what its tests share with workers. The first lane is
this process; the others are forked from it, for the public tests and again for the hidden ones.
They share a queue of batches of tests: a pipe that holds one byte for each. A forked lane sends its
outcomes back through another pipe.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

from grader.faults import GraderFault
from grader.machine import end_with_parent


class Queue:
    """The numbers from 0 to `count` - 1, at most 256, shared by processes that fork after it."""

    def __init__(self, count: int) -> None:
        reader, writer = os.pipe()
        self._reader = os.fdopen(reader, "rb", 0)
        with os.fdopen(writer, "wb", 0) as pipe:
            pipe.write(bytes(range(count)))

    def take(self) -> int | None:
        """Takes the next number, which no other process gets; None once all are taken."""
        taken = self._reader.read(1)
        return taken[0] if taken else None

    def close(self) -> None:
        """Closes the queue in this process."""
        self._reader.close()


class ForkedLane:
    """A fork of this process that runs `work`, sends back what it returns, and exits."""

    def __init__(self, work: Callable[[], Any]) -> None:
        reader, writer = os.pipe()
        self._reader, write = os.fdopen(reader, "rb", 0), os.fdopen(writer, "wb")
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid:
            write.close()
            return
        status = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
            end_with_parent()
            if os.getppid() != parent:  # it ended before that
                os._exit(1)
            self._reader.close()
            with write as pipe:
                pipe.write(msgspec.msgpack.encode(work()))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def result(self, kind: type[Any]) -> Any:
        """Waits for what `work` returned; raises GraderFault if the process ended without it."""
        with self._reader as pipe:
            data = pipe.read()
        status = os.waitpid(self._pid, 0)[1]
        if status:
            raise GraderFault(f"a lane ended with status {status}")
        return msgspec.msgpack.decode(data, type=kind)
