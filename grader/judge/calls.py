"""The last calls of a test, for the message that a student reads."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from assignment.journal import Journal

_NONE = object()  # of a call that did not return


@dataclass
class KeptCall:
    """A call, and its result once it has one. They become text only if the test fails."""

    target: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any = _NONE


class KeptCalls:
    """The last `most` calls."""

    def __init__(self, most: int) -> None:
        self._calls: deque[KeptCall] = deque(maxlen=most)

    def note(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> KeptCall:
        """Notes a call that begins. Its result can be set later."""
        call = KeptCall(target, args, kwargs)
        self._calls.append(call)
        return call

    def journal(self) -> Journal:
        """The calls as text."""
        journal = Journal()
        for call in self._calls:
            noted = journal.note(call.target, call.args, call.kwargs)
            if call.result is not _NONE:
                noted.note_result(call.result)
        return journal
