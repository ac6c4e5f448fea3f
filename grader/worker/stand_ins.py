"""Stand-ins in a worker for functions of a test's: a use is a message to the judge, and its answer.

One party at a time uses the channel: the loop that answers calls between calls, and during a call
the thread that uses a stand-in. A thread that outlives its call waits for the next one.
"""

from __future__ import annotations

import builtins
import threading
from typing import Any

from assignment.calls.callbacks import StandInIterator
from grader.worker.channel import receive, send


class StandIns:
    """Makes stand-ins, and has the judge run what they stand for."""

    def __init__(self, channel: int) -> None:
        self._channel = channel
        self._turn = threading.Lock()  # whose holder may use the channel
        self._turn.acquire()
        self._call_id = 0
        self._uses = 0  # of all stand-ins in this call

    def of(self, number: int, is_iterator: bool) -> Any:
        """A new stand-in of the judge's function of a number, or of its generator."""

        def use(*args: Any, **kwargs: Any) -> Any:
            return self._use(number, args, kwargs)

        return StandInIterator(use) if is_iterator else use

    def begin(self, call_id: int) -> None:
        """A call begins: from now on the judge listens for uses."""
        self._call_id, self._uses = call_id, 0
        self._turn.release()

    def end(self) -> None:
        """A call ends, once no thread is in the midst of a use."""
        self._turn.acquire()

    def _use(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Has the judge call a function; between calls, waits for the next one to begin."""
        with self._turn:
            use = {"use": self._uses, "function": number, "args": args, "kwargs": kwargs}
            send(self._channel, self._call_id, use, "what a function of the test was given")
            self._uses += 1
            _, answer = receive(self._channel)
        if "raised" in answer:
            raise getattr(builtins, answer["raised"])(*answer["args"])
        return answer["returned"]
