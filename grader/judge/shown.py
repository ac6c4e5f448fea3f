"""How a test's failure is shown: to a student with its last calls, to staff as a traceback."""

from __future__ import annotations

import os
import traceback
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assignment.calls.journal import Journal
from assignment.expect import Mismatch
from assignment.student.diagnosis import of_mismatch
from assignment.student.lines import mismatch_lines, no_exception_lines
from grader.faults import FromSubmission, GraderFault

_NO_RESULT = object()  # of a call that did not return


@dataclass
class KeptCall:
    """A call, and its result once it has one. They become text only if the test fails."""

    target: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any = _NO_RESULT


class KeptCalls:
    """The last `most` calls, with their results if it is more than one."""

    def __init__(self, most: int) -> None:
        self._has_results = most > 1
        self._calls: deque[KeptCall] = deque(maxlen=most)

    def note(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> KeptCall:
        """Notes a call that begins."""
        call = KeptCall(target, args, kwargs)
        self._calls.append(call)
        return call

    def note_result(self, call: KeptCall, result: Any) -> None:
        if self._has_results:
            call.result = result

    def journal(self) -> Journal:
        """The calls as text."""
        journal = Journal()
        for call in self._calls:
            noted = journal.note(call.target, call.args, call.kwargs)
            if call.result is not _NO_RESULT:
                noted.note_result(call.result)
        return journal


def for_student(error: BaseException, calls: KeptCalls) -> str:
    """Formats a public test's failure for the student, without a traceback.

    The student also reads a sentence about the cause and the exercise's hint, which are not
    repeated here. The text is empty if they are enough.
    """
    if isinstance(error, GraderFault):
        return ""
    if isinstance(error, Mismatch):
        return "\n".join(mismatch_lines(error, calls.journal()))
    text = str(error)
    if isinstance(error, FromSubmission):
        text = str(error.args[0])  # str() of a KeyError would be its key's repr()
    return "\n".join(no_exception_lines(text, calls.journal().last))


def for_staff(error: BaseException, test: Path, calls: KeptCalls) -> str:
    """Formats a test's failure for staff: the traceback, from the first frame of the tests on.

    The last call follows, where the test says none.
    """
    trace, tests = error.__traceback__, f"{test.parent}{os.sep}"
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(tests):
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
    diagnosis = of_mismatch(error)[0] if isinstance(error, Mismatch) else ""
    text += f"  note:     {diagnosis}\n" if diagnosis else ""
    journal = calls.journal()
    whole = error.whole if isinstance(error, Mismatch) else None
    last = journal.that_returned(whole[0]) if whole else journal.last
    is_told = "\nasked in line " in text
    return text + (f"last call: {last.text}\n" if last and not is_told else "")
