"""What can go wrong in a call, as exceptions in the judge."""

from __future__ import annotations

import builtins
import traceback
from pathlib import Path
from typing import Any

from grader.results.causes import Cause


class GraderFault(Exception):
    """The grader itself failed. Never a student's zero: the check becomes "not run"."""


class SubmissionFailure(Exception):
    """The submission's code did not answer a call; `cause` says how.

    `detail` is for staff, and for the student where the test is public. Notes are for staff alone.
    """

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail


class Killed(SubmissionFailure):
    """The worker was ended by a SIGKILL that the judge did not send.

    Either the kernel or somebody on the machine did, or the submission did it to itself. It is
    tried once more: what happens twice is the submission's doing.
    """


# Exceptions that a test may expect, raised in the judge under the same class. Classes whose
# constructor wants more than a text, and those that would end the judge, stand for nothing.
_RAISED: dict[str, type[Exception]] = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type)
    and issubclass(value, Exception)
    and not issubclass(
        value, UnicodeError | Warning | StopIteration | StopAsyncIteration | ExceptionGroup
    )
}


def nearest_builtin(name: Any) -> type[Exception]:
    """The built-in class of this name, or Exception."""
    return _RAISED.get(name, Exception) if isinstance(name, str) else Exception


def raised_by_submission(name: Any, detail: str) -> Exception:
    """The submission's exception, to raise in a test: `pytest.raises(ValueError)` can catch it."""
    error = nearest_builtin(name)(detail)
    error.from_submission = True  # type: ignore[attr-defined]
    return error


def for_student(error: BaseException) -> str:
    """What a student reads of a failed public test, besides its cause's words: no traceback."""
    if isinstance(error, GraderFault):
        return ""
    if getattr(error, "from_submission", False):
        return str(error.args[0])  # of a KeyError, str() would be its repr()
    if isinstance(error, SubmissionFailure):
        return "" if error.cause is Cause.NOT_STARTED else error.detail
    from assignment.failures import nothing_raised  # with pytest, which is loaded by then

    return nothing_raised(str(error)) or str(error)


def told(error: BaseException, test: Path) -> str:
    """What staff read of a failed test: its traceback, from the frame in the test's file on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(test):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
