"""Signals that ask this process to end: it does, and leaves nothing behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_asked: list[str] = []  # signals that came since `raised` was entered
_ASKING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Stopped(KeyboardInterrupt):
    """A signal asked this process to end; its name is the text."""


@contextmanager
def raised() -> Iterator[None]:
    """Raises Stopped at the first of these signals, wherever the program is, and then ignores them.

    Whatever is open is closed on the way out, and a second signal does not disturb that.
    """

    def stop(number: int, _: FrameType | None) -> NoReturn:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        _asked.append(signal.Signals(number).name)
        raise Stopped(_asked[0])

    # One that is ignored already stays so: nohup does that.
    before = {n: h for n in _ASKING if (h := signal.getsignal(n)) is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        if not _asked:  # or this process is ending: what it still removes must not be disturbed
            for number, handler in before.items():
                signal.signal(number, handler)


def check() -> None:
    """Raises Stopped once more, for where somebody else's code may have caught it."""
    if _asked:
        raise Stopped(_asked[0])
