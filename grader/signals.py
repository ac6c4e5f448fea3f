"""Ends this process on TERM, HUP and INT by an exception, so that everything is cleaned up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_received: list[str] = []  # names of the signals that came in `stop_on_signals`
_held_back: list[bool] = []  # an entry for each `held_back` that this process is in
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Stopped(KeyboardInterrupt):
    """A signal asked this process to end; the message is the signal's name."""


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Within this context the first of these signals raises Stopped; further ones are ignored.

    Context managers and `finally` clauses clean up, and a second signal cannot interrupt that.
    """

    def stop(number: int, _: FrameType | None) -> None:
        for other in handlers:
            signal.signal(other, signal.SIG_IGN)
        _received.append(signal.Signals(number).name)
        if not _held_back:
            raise Stopped(_received[0])

    # A signal that is already ignored stays ignored: nohup relies on that.
    handlers = {n: h for n in _STOP_SIGNALS if (h := signal.getsignal(n)) is not signal.SIG_IGN}
    for number in handlers:
        signal.signal(number, stop)
    try:
        yield
    finally:
        # After a signal the process is ending, and no other one may interrupt its cleanup.
        if not _received:
            for number, handler in handlers.items():
                signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Within this context `Stopped` waits for the end: torch's import aborts at an exception."""
    _held_back.append(True)
    try:
        yield
    finally:
        _held_back.pop()
    raise_if_stopped()


def reset() -> None:
    """Unblocks all signals and restores the default for those that this process inherited ignored.

    Stop signals stay ignored: nohup relies on that. Python itself ignores SIGPIPE and SIGXFSZ.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    kept = {*_STOP_SIGNALS, signal.SIGPIPE, signal.SIGXFSZ}
    for number in signal.valid_signals() - kept:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def raise_if_stopped() -> None:
    """Raises Stopped again, after code that is not ours may have caught it."""
    if _received:
        raise Stopped(_received[0])
