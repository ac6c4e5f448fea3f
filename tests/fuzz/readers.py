"""What must be true when the judge reads a value as each of the messages that it expects.

It is read as one, or refused as a failure of the submission: never with another exception, and
never with more than the message may hold.
"""

from __future__ import annotations

from typing import Any

import msgspec

from assignment.calls.implementation import Raised
from grader import faults
from grader.causes import Cause
from grader.judge import preflight
from grader.supervisor.callbacks import Callbacks
from grader.wire import claims

FUNCTIONS = 3  # that a frame may use
_LENGTH = 5000  # characters; the judge cuts quotes after some 4000


class Finding(Exception):
    """A frame broke a rule."""


def check_use(value: Any) -> None:
    """A use of a function of the test's."""
    callbacks = Callbacks()
    for _ in range(FUNCTIONS):
        callbacks.add(print)
    try:
        use = callbacks.use_in(value)
    except faults.SubmissionFailure as error:
        if error.cause is not Cause.PROTOCOL:
            raise Finding(f"a use has the cause {error.cause}") from error
    except Exception as error:
        raise Finding(f"a use raised {type(error).__name__}: {error}") from error
    else:
        if use is None:
            return
        names = [type(name) for name in use.kwargs]
        if use.function not in range(FUNCTIONS) or type(use.function) is not int:
            raise Finding(f"a use is of function {use.function!r}")
        if type(use.args) is not tuple or any(name is not str for name in names):
            raise Finding("a use's arguments cannot be passed")
        if type(value["use"]) is not int or value["use"] != 0:
            raise Finding("a use is not the next one")


def check_answer(value: Any) -> None:
    """An answer, or a failure that the judge knows."""
    try:
        result = claims.result(value, "module.function")
    except faults.SubmissionFailure as error:
        if error.cause is not Cause.PROTOCOL and error.cause not in claims.CAUSES.values():
            raise Finding(f"an answer has the cause {error.cause}") from error
        if len(error.detail) > 3 * _LENGTH:
            raise Finding(f"a detail has {len(error.detail)} characters") from error
    except Exception as error:
        if not isinstance(error, faults.FromSubmission):
            raise Finding(f"an answer raised {type(error).__name__}: {error}") from error
        if type(error) is not type(faults.raised_by_submission(type(error).__name__, "")):
            raise Finding(f"an answer raised {type(error)}") from error
        if len(str(error)) > 6 * _LENGTH:  # a KeyError quotes its text, with escapes
            raise Finding(f"an exception says {len(str(error))} characters") from error
    else:
        if type(value) is not dict or value.keys() != {"result"} or result is not value["result"]:
            raise Finding("an answer is no result, and gave one")


def check_answers(value: Any) -> None:
    """The outcomes of two calls: each is a result, or a failure as `check_answer` wants it."""
    targets = ["module.function", "module.other"]
    try:
        found = claims.results(value, targets)
    except Exception:
        check_answer(value)  # `result` raises the same, unless the result is no list of two
        return
    for outcome, one in zip(found, value["result"], strict=True):
        check_answer(one)
        if not isinstance(outcome, Raised) and outcome is not one["result"]:
            raise Finding("an outcome is no result, and gave one")


def check_bytecode(value: Any) -> None:
    """The bytecode of a module."""
    try:
        found = list(claims.bytecode(value, ["a.py"]).items())
    except Exception as error:
        raise Finding(f"bytecode raised {type(error).__name__}: {error}") from error
    if any(name != "a.py" or type(code) is not bytes for name, code in found):
        raise Finding("bytecode is of no file that was asked for")


def check_import(value: Any) -> None:
    """The report of an import."""
    try:
        answer = claims.import_report(value)
        report = preflight.failed_import_report("package", "module", answer, missing=False)
        msgspec.json.encode(report)
    except faults.SubmissionFailure as error:
        if error.cause is not Cause.PROTOCOL or type(value) is dict:
            raise Finding(f"an import report has the cause {error.cause}") from error
        return
    except Exception as error:
        raise Finding(f"an import report raised {type(error).__name__}: {error}") from error
    kinds = {"line": (int,), "parameters": (dict, type(None)), "stubs": (list, tuple)}
    for name, item in answer._asdict().items():
        if type(item) not in kinds.get(name, (str, list)):
            raise Finding(f"an import report's {name} is {type(item).__name__}")
    for names in (answer.parameters or {}).values():
        if type(names) is not list or any(type(n) is not str for n in names):
            raise Finding("an import report's parameters are not names")
    if len(report.message) + len(report.file) > _LENGTH:
        raise Finding("a module's report is not cut")
    for change in answer.changes:
        if [type(part) for part in change] != [str, int, str] or len(str(change)) > _LENGTH:
            raise Finding("a change by an import is not of a file, a line and a short text")
