"""Runs a call in a fork of this process, and kills it when a function of the test says so."""

from __future__ import annotations

import multiprocessing.connection
import os
import signal
import time
from collections.abc import Callable
from typing import Any

from assignment import plain
from assignment.callbacks import KillProcess, StandInIterator, function_of, is_iterator


class _StandIns:
    """The stand-ins of one call in the fork: a use is a message to the parent, and its answer.

    The parent numbers the functions by looking at the same arguments in the same order.
    """

    def __init__(self, pipe: multiprocessing.connection.Connection) -> None:
        self._pipe = pipe
        self._count = 0

    def of(self, value: Any) -> Any:
        number, self._count = self._count, self._count + 1

        def use(*args: Any, **kwargs: Any) -> Any:
            self._pipe.send((number, plain.copy(args), plain.copy(kwargs)))
            result, raised = self._pipe.recv()
            if raised is not None:
                raise raised
            return result

        return StandInIterator(use) if is_iterator(value) else use


def run_until_killed(
    run: Callable[[Any, str, Any, Any], Any], target: str, args: Any, kwargs: Any
) -> bool:
    """Runs a call until a stand-in raises KillProcess; False if it ended earlier.

    Args:
        run: makes the call; takes the stand-ins, the target, and its arguments.
        target: what is called.
        args, kwargs: its arguments.
    """
    functions: list[Callable[..., Any]] = []
    plain.copy((args, kwargs), "the arguments", lambda v: functions.append(function_of(v)))
    ours, theirs = multiprocessing.connection.Pipe()
    child = os.fork()
    if child == 0:
        try:
            ours.close()
            run(_StandIns(theirs), target, args, kwargs)
        finally:
            os._exit(0)
    theirs.close()
    try:
        return _answer(ours, functions)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        ours.close()


def _answer(
    pipe: multiprocessing.connection.Connection, functions: list[Callable[..., Any]]
) -> bool:
    """Answers uses until the moment to kill comes, or the fork ends."""
    moment: float | None = None
    while True:
        if moment is not None:
            left = moment - time.monotonic()
            if left <= 0 or not pipe.poll(left):
                return True
        try:
            number, args, kwargs = pipe.recv()
        except (EOFError, ConnectionResetError):
            return False
        result, raised = None, None
        try:
            result = plain.copy(functions[number](*args, **kwargs))
        except KillProcess as kill:
            if not kill.after:
                return True
            moment = moment or time.monotonic() + kill.after
        except AssertionError:
            raise
        except Exception as error:
            raised = error
        try:
            pipe.send((result, raised))
        except (BrokenPipeError, ConnectionResetError):
            return False
