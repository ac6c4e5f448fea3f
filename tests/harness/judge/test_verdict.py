"""The cause of a failure, from the exception and from whether the submission had answered."""

import errno
from zipfile import BadZipFile

import pytest

from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure, TooMuchWork, raised_by_submission
from grader.judge.verdict import cause_of
from grader.signals import Stopped


@pytest.mark.parametrize(
    "error",
    [
        GraderFault(),
        Stopped("SIGTERM"),
        ImportError(),
        RuntimeWarning(),
        pytest.skip.Exception(),
        SystemExit(),
    ],
    ids=repr,
)
def test_what_no_answer_explains_is_a_fault_of_the_grader_even_after_an_answer(error):
    assert cause_of(error, requests=1) is Cause.GRADER_FAULT


def test_error_of_the_kernel_is_a_fault_of_the_grader_whatever_its_number():
    causes = {cause_of(OSError(number, ""), requests=1) for number in errno.errorcode}
    assert causes == {Cause.GRADER_FAULT}


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (AssertionError(), Cause.WRONG_ANSWER),
        (TypeError(), Cause.WRONG_ANSWER),
        (pytest.fail.Exception(), Cause.WRONG_ANSWER),
        (BadZipFile(), Cause.WRONG_ANSWER),
        (OSError("Invalid data stream"), Cause.WRONG_ANSWER),  # of bz2
        (raised_by_submission("MemoryError", ""), Cause.EXCEPTION),
        (raised_by_submission("OSError", "[Errno 28] No space left"), Cause.EXCEPTION),
        (SubmissionFailure(Cause.MEMORY, ""), Cause.MEMORY),
        (MemoryError(), Cause.TOO_LARGE),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), Cause.TOO_LARGE),
        (RuntimeError("std::bad_alloc"), Cause.TOO_LARGE),  # a small allocation of torch
    ],
)
def test_everything_else_after_an_answer_is_the_submissions(error, cause):
    assert cause_of(error, requests=1) is cause


def test_failure_before_any_answer_is_a_fault_of_the_grader():
    for error in (TypeError(), MemoryError(), TooMuchWork("")):
        assert cause_of(error, requests=0) is Cause.GRADER_FAULT
