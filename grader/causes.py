"""Why a check did not pass: a closed list, with a fixed text for students for each.

A cause is a class, never a message: what a student sees of a hidden test depends only on the test,
on its cause and on those of earlier tests of its exercise, and on which of a few classes an
exception has. So no text of the submission can reveal a hidden input.
"""

from __future__ import annotations

from enum import StrEnum

# The only classes that are named of a hidden check. The submission chooses what it raises, so each
# further class is one more letter for a message about a hidden input.
NAMED_EXCEPTIONS = frozenset(
    {"IndexError", "KeyError", "TypeError", "ValueError", "ZeroDivisionError"}
)


class Cause(StrEnum):
    """The classes of failure; `EXCEPTION` comes with the name of the nearest built-in class.

    `words` is the text for students.
    """

    words: str

    def __new__(cls, name: str, words: str) -> Cause:
        cause = str.__new__(cls, name)
        cause._value_, cause.words = name, words
        return cause

    WRONG_ANSWER = "wrong_answer", "The answer is not the expected one."
    NEEDS_WORK = (
        "needs_work",
        "It counts once the exercise's main work is done, which another check judges.",
    )
    NOT_STARTED = "not_started", "Not started: a stub still raises NotImplementedError."
    UNFINISHED = (
        "unfinished",
        "The code still raises NotImplementedError, or calls a function that does.",
    )
    MISSING = "missing", "The function or its module is not in the submission."
    IMPORT_FAILED = (
        "import_failed",
        "The module could not be imported: the top of the report says why.",
    )
    WRONG_SIGNATURE = (
        "wrong_signature",
        "The function cannot be called with the arguments of its stub.",
    )
    EXCEPTION = (
        "exception",
        "An exception came from the code, from its annotations, or from the use of its result.",
    )
    NOT_PLAIN_DATA = "not_plain_data", "The function returned something other than plain data."
    LEFT_CHANGED = (
        "left_changed",
        "The code left a mode of torch or of the model, a generator, an argument, a gradient, a "
        "graph or a file as it should not be, moved a tensor to other memory, or returned another "
        "object than it should.",
    )
    TIMEOUT = "timeout", "The code, or the check of what it answered, took too long."
    NO_TIME_LEFT = "no_time_left", "Not tried: earlier tests had used up the time."
    MEMORY = "memory", "The code needed more memory than it may use."
    DISK = "disk", "The code wrote more to disk than it may."
    DIED = "died", "The code's process ended before it answered."
    PROTOCOL = "protocol", "The code wrote to the grader's channel; its answer was not read."
    TOO_LARGE = "too_large", "The answer is larger than any correct answer could be."
    NEEDS_CUDA = (
        "needs_cuda",
        "Not measured: this machine has no CUDA device. Left out of the total.",
    )
    TOO_SLOW = (
        "too_slow",
        "The result is correct, but slower than the reference: a part of the points, or none.",
    )
    NOT_MEASURED = (
        "not_measured",
        "Not measured: this machine cannot time the program. Left out of the total.",
    )
    SUSPICIOUS = (
        "suspicious",
        "Not scored: faster than the hardware allows. The course staff will look at it.",
    )
    GRADER_FAULT = (
        "grader_fault",
        "Not scored: a fault of the grader, not of the submission. No mark is lost.",
    )
