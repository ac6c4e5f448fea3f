"""Runs a call in a fork of this process, and kills it at a moment that the test has chosen."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from assignment.calls import plain
from assignment.calls.callbacks import KillProcess, StandInIterator, function_of, is_iterator

_OF_TWO_PATHS = ("os.rename", "os.link", "os.symlink")
_CHANGES = (*_OF_TWO_PATHS, "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class FileChanges:
    """The changes that a fork makes to files of a folder, as Python announces them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.look: Callable[[], None] | None = None  # called just before each change
        self.left = 0  # changes until it is killed, with that one; 0 or less if none is to kill it

    def announce_to(self, tell: Callable[[], None]) -> None:
        """Calls `tell` before each change by this thread, from now on: a hook cannot be removed."""
        thread, is_telling = threading.get_ident(), False

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal is_telling
            is_own = threading.get_ident() == thread and not is_telling
            if is_own and self._is_change(event, arguments):
                is_telling = True  # this may open files as well
                tell()
                is_telling = False

        sys.addaudithook(hook)

    def _is_change(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event == "open":
            flags = arguments[2]
            if not (isinstance(flags, int) and flags & _TO_WRITE):
                return False
        elif event not in _CHANGES:
            return False
        paths = arguments[:2] if event in _OF_TWO_PATHS else arguments[:1]
        return any(
            isinstance(path, str | bytes | os.PathLike)
            and Path(os.fsdecode(path)).absolute().is_relative_to(self._folder)
            for path in paths
        )

    def count(self) -> bool:
        """Calls `look` and counts a change; says whether to kill the process before the change."""
        if self.look is not None:
            self.look()
        self.left -= 1
        return self.left == 0


class _StandIns:
    """The stand-ins of one call in the fork: a use is a message to the parent, and its answer.

    The parent numbers the functions by looking at the same arguments in the same order.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._count = 0

    def of(self, value: Any) -> Any:
        number, self._count = self._count, self._count + 1

        def use(*args: Any, **kwargs: Any) -> Any:
            _send(self._pipe, (number, plain.copy(args), plain.copy(kwargs)))
            result, raised = _receive(self._pipe)
            if raised is not None:
                raise raised
            return result

        return StandInIterator(use) if is_iterator(value) else use

    def tell_of_change(self) -> None:
        """Tells the parent of a change to files, and waits until it has counted it."""
        _send(self._pipe, None)
        _receive(self._pipe)


def run_until_killed(
    run: Callable[..., Any], target: str, args: Any, kwargs: Any, changes: FileChanges
) -> bool:
    """Runs a call in a fork, and kills it at a KillProcess or before the change that was chosen.

    `run` makes the call, with stand-ins. Returns whether it was killed; if the call raises, which
    ends it earlier, that is printed. Raises an AssertionError of the test's own functions.
    """
    functions: list[Callable[..., Any]] = []  # of the arguments, in the order of their stand-ins
    plain.copy_arguments(
        (args, kwargs), "the arguments", lambda v: functions.append(function_of(v))
    )
    ours, theirs = Pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of locks that other threads hold; the child needs none of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            ours.close()
            stand_ins = _StandIns(theirs)
            changes.announce_to(stand_ins.tell_of_change)
            run(stand_ins, target, args, kwargs)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(0)
    theirs.close()
    try:
        return _answer(ours, functions, changes)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        ours.close()


def _answer(pipe: Connection, functions: list[Callable[..., Any]], changes: FileChanges) -> bool:
    """Answers uses until the moment to kill comes, or the fork ends."""
    while True:
        try:
            use = _receive(pipe)
        except (EOFError, ConnectionResetError):
            return False
        result, raised = None, None
        try:
            if use is None:
                if changes.count():
                    return True
            else:
                number, args, kwargs = use
                result = plain.copy_arguments(functions[number](*args, **kwargs), "a result")
        except KillProcess:
            return True
        except AssertionError:
            raise
        except Exception as error:
            raised = error
        try:
            _send(pipe, (result, raised))
        except (BrokenPipeError, ConnectionResetError):
            return False


def _send(pipe: Connection, message: Any) -> None:
    """Sends tensors as their bytes: `pipe.send` would share memory, and its end may be killed."""
    pipe.send_bytes(pickle.dumps(message))


def _receive(pipe: Connection) -> Any:
    return pickle.loads(pipe.recv_bytes())
