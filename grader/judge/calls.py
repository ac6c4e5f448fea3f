"""The last calls of a test, for the message that a student reads."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
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

    @contextmanager
    def noting(
        self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Iterator[KeptCall]:
        """Around a call, which sets its result."""
        call = KeptCall(target, args, kwargs)
        self._calls.append(call)
        yield call

    def journal(self) -> Journal:
        """The calls as text."""
        journal = Journal()
        for call in self._calls:
            noted = journal.note(call.target, call.args, call.kwargs)
            if call.result is not _NONE:
                noted.note_result(call.result)
        return journal
