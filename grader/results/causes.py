"""Why a check did not pass: a closed list, with a fixed text for students for each.

A cause is a class, never a message: what a student sees of a hidden test depends only on test,
state and cause, so no text of the submission can reveal a hidden input.
"""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """The classes of failure; `EXCEPTION` comes with the name of the nearest built-in class."""

    WRONG_ANSWER = "wrong_answer"
    NOT_STARTED = "not_started"
    MISSING = "missing"
    IMPORT_FAILED = "import_failed"
    WRONG_SIGNATURE = "wrong_signature"
    EXCEPTION = "exception"
    NOT_PLAIN_DATA = "not_plain_data"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    DISK = "disk"
    DIED = "died"
    PROTOCOL = "protocol"
    TOO_LARGE = "too_large"
    PREREQUISITE = "prerequisite"
    NEEDS_CUDA = "needs_cuda"
    TOO_SLOW = "too_slow"
    NOT_MEASURED = "not_measured"
    SUSPICIOUS = "suspicious"
    GRADER_FAULT = "grader_fault"


WORDS: dict[Cause, str] = {
    Cause.WRONG_ANSWER: "The answer is not the expected one.",
    Cause.NOT_STARTED: "Not started: the stub still raises NotImplementedError.",
    Cause.MISSING: "The function or its module is not in the submission.",
    Cause.IMPORT_FAILED: "The module could not be imported; see the modules' section.",
    Cause.WRONG_SIGNATURE: "The function cannot be called with the arguments of its stub.",
    Cause.EXCEPTION: "The code raised an exception.",
    Cause.NOT_PLAIN_DATA: "The function returned something other than plain data.",
    Cause.TIMEOUT: "The code did not answer in time.",
    Cause.MEMORY: "The code needed more memory than it may use.",
    Cause.DISK: "The code wrote more to disk than it may.",
    Cause.DIED: "The code ended its own process.",
    Cause.PROTOCOL: "The code wrote to the grader's channel; its answer was not read.",
    Cause.TOO_LARGE: "The answer is larger than any correct answer could be.",
    Cause.PREREQUISITE: "Not run: an exercise that this one builds on does not pass yet.",
    Cause.NEEDS_CUDA: "Not run: this machine has no CUDA device. Left out of the total.",
    Cause.TOO_SLOW: "The result is correct, but slower than the reference: a part of the points, "
    "or none.",
    Cause.NOT_MEASURED: "Not run: this machine cannot measure whether the program is fast. "
    "Left out of the total.",
    Cause.SUSPICIOUS: "Not run: faster than the hardware allows. The course staff will look at it.",
    Cause.GRADER_FAULT: "Not run: a fault of the grader, not of the submission. No mark is lost.",
}
