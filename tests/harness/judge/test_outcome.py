"""The cause of a failure, from the exception and from whether the submission had answered."""

import errno

import pytest

from grader.judge.failure import GraderFault, SubmissionFailure, raised_by_submission
from grader.judge.outcome import cause_of
from grader.results.causes import Cause
from grader.signals import Stopped


@pytest.mark.parametrize(
    "error",
    [
        GraderFault(),
        Stopped("SIGTERM"),
        MemoryError(),
        OSError(errno.ENOSPC, ""),
        OSError(errno.EMFILE, ""),
    ],
)
def test_what_the_machine_lacks_is_a_fault_of_the_grader_even_after_an_answer(error):
    assert cause_of(error, answers=1) is Cause.GRADER_FAULT


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (AssertionError(), Cause.WRONG_ANSWER),
        (TypeError(), Cause.WRONG_ANSWER),
        (OSError(errno.ENOENT, ""), Cause.WRONG_ANSWER),
        (raised_by_submission("MemoryError", ""), Cause.EXCEPTION),
        (raised_by_submission("OSError", "[Errno 28] No space left"), Cause.EXCEPTION),
        (SubmissionFailure(Cause.MEMORY, ""), Cause.MEMORY),
    ],
)
def test_everything_else_after_an_answer_is_the_submissions(error, cause):
    assert cause_of(error, answers=1) is cause


def test_failure_before_any_answer_is_a_fault_of_the_grader():
    assert cause_of(TypeError(), answers=0) is Cause.GRADER_FAULT
