"""What can go wrong in a test, as exceptions in the judge."""

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

    The kernel did, or another process on the machine, or the submission itself. The test is tried
    once more: what happens twice is the submission's doing.
    """


class WorkerEnded(Exception):
    """A worker's process has ended by itself."""


class NotMeasured(Exception):
    """This device, at this time, cannot rank programs."""


class Suspicious(Exception):
    """Faster than the hardware can be: a person must review it."""


# Exceptions that a test may expect, raised in the judge under the same class. Classes whose
# constructor needs more than a text, and those that would end the judge, become Exception.
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
    """A failed public test for the student, beside the words of its cause: without a traceback."""
    if isinstance(error, GraderFault):
        return ""
    if getattr(error, "from_submission", False):
        return str(error.args[0])  # of a KeyError, str() would be its repr()
    if isinstance(error, SubmissionFailure):
        return "" if error.cause is Cause.NOT_STARTED else error.detail
    from assignment.failures import nothing_raised  # with pytest, which is loaded by then

    return nothing_raised(str(error)) or str(error)


def for_staff(error: BaseException, test: Path) -> str:
    """A failed test for staff: its traceback, from the frame in the test's file on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(test):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
