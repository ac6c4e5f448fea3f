"""The exceptions by which a test fails, and whose: the submission's, ours or the machine's."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grader.causes import Cause


class GraderFault(Exception):
    """The grader itself failed. The check becomes "not run", never a student's zero."""


class SubmissionFailure(Exception):
    """The submission's code did not answer a call as it should; `cause` says in which way.

    `detail` is for staff, and for the student if the test is public. The exception's notes are for
    staff only.
    """

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail


class FromSubmission(Exception):
    """What a submission raised; each such exception is of its built-in class, too."""


class Killed(SubmissionFailure):
    """The worker was ended by SIGKILL.

    It came from the kernel, from another process on the machine, from the submission itself, or
    from the judge, once the worker had closed its channel. The test is run once more
    (`Session.run`), and that outcome counts.
    """


class TooMuchWork(SubmissionFailure):
    """The judge needed too much time for what the submission answered."""

    def __init__(self, detail: str) -> None:
        super().__init__(Cause.TIMEOUT, detail)


class WorkerEnded(Exception):
    """A worker's process ended, or closed its channel, before the judge ended it."""


class NotMeasured(Exception):
    """This device cannot rank programs, at least not now."""


class Suspicious(Exception):
    """A program was faster than the hardware allows: a person must review it."""


# Classes that the judge raises when a submission raised them, so that a test may expect them. Those
# whose constructor needs more than a text become UnicodeError, and those that would end the judge,
# Exception.
_RAISED: dict[str, type[Exception]] = {
    name: UnicodeError if issubclass(value, UnicodeError) else value
    for name, value in vars(builtins).items()
    if isinstance(value, type)
    and issubclass(value, Exception)
    and not issubclass(value, Warning | StopIteration | StopAsyncIteration | ExceptionGroup)
}
# Tracebacks show the same names.
_OF_SUBMISSION: dict[type[Exception], type[Exception]] = {
    kind: type(kind.__name__, (FromSubmission, kind), {"__module__": "builtins"})
    for kind in _RAISED.values()
}


def is_machine_error(error: BaseException) -> bool:
    """Whether an exception in the judge comes from the machine: memory, the kernel, libraries.

    No answer of a submission explains it, so it is a fault of the grader wherever it is raised. An
    OSError without a number is not the kernel's: code that reads an answer's bytes raised it, or a
    test. Only `is_out_of_memory` sees that torch got no memory.
    """
    if isinstance(error, FromSubmission):
        return False
    if isinstance(error, OSError):
        return error.errno is not None
    return isinstance(error, MemoryError | ImportError | Warning)


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an exception, or one that led to it, says that Python or torch got no host memory.

    What came from a submission does not count.
    """
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        of_torch = isinstance(error, RuntimeError) and any(
            words in str(error) for words in ("allocate memory", "bad_alloc")
        )
        if (of_torch or isinstance(error, MemoryError)) and not isinstance(error, FromSubmission):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def machine_errors_as_faults(what: str) -> Iterator[None]:
    """Around code of the judge: raises GraderFault for an exception that `is_machine_error`."""
    try:
        yield
    except Exception as error:
        if not is_machine_error(error):
            raise
        raise GraderFault(f"{what}: {str(error) or type(error).__name__}") from error


@contextmanager
def trusted(what: str) -> Iterator[None]:
    """Around a worker's start, before submission code: any failure but Killed is the grader's."""
    try:
        yield
    except Killed:
        raise
    except SubmissionFailure as failure:
        raise GraderFault(f"{what}: {failure.detail}") from failure


def builtin_named(name: Any) -> type[Exception]:
    """The built-in class of this name, or one that it is derived from."""
    return _RAISED.get(name, Exception) if isinstance(name, str) else Exception


def raised_by_submission(name: Any, detail: str) -> Exception:
    """The submission's exception, to be raised in a test, where `pytest.raises` can catch it."""
    return _OF_SUBMISSION[builtin_named(name)](detail)
