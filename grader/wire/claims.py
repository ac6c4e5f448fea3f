"""Reads a worker's answers, which are untrusted: checks the form of each, and truncates
what it says of a failed call.

The submission's code controls the process that answers. Nothing that an answer says about itself
can earn points: tests compare the results of calls. Of a failure in a hidden test students read
only its cause and a few classes of exceptions (`results/student.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assignment.calls.implementation import Raised
from assignment.calls.imports import Change
from grader.causes import Cause
from grader.faults import SubmissionFailure, raised_by_submission

# Causes of failure that a worker may claim; the judge itself observes all others.
_ABOUT_CODE = (Cause.NOT_STARTED, Cause.MISSING, Cause.IMPORT_FAILED, Cause.WRONG_SIGNATURE)
_ABOUT_CALLS = (Cause.EXCEPTION, Cause.NOT_PLAIN_DATA, Cause.LEFT_CHANGED, Cause.MEMORY)
CAUSES = {cause.value: cause for cause in (*_ABOUT_CODE, *_ABOUT_CALLS)}
_MAX_TRACE = 4000
_MAX_TYPE, _MAX_MESSAGE, _MAX_PATH, _MAX_FRAMES = 200, 1000, 200, 8
_MAX_CHANGES, _MAX_CHANGE = 100, 300
_FILE = re.compile(r"(?:\w{1,80}/)+\w{1,80}\.py")  # relative to the submission's folder
_FUNCTION = re.compile(r"[\w<>]{1,80}")


def result(answer: Any, target: str) -> Any:
    """The result in an answer to a call of `target`; a claimed error has its traceback as a note.

    Raises:
        Exception: of the nearest built-in class, if the answer claims that the code raised one.
        SubmissionFailure: the answer claims another failure, or has an unknown form.
    """
    if isinstance(answer, dict):
        if answer.keys() == {"result"}:
            return answer["result"]
        failed = answer.get("failed")  # never printed unchecked: a million tensors take minutes
        if isinstance(failed, str) and (cause := CAUSES.get(failed)) is not None:
            detail = failure_detail(answer, target)
            error: Exception = SubmissionFailure(cause, detail)
            if cause is Cause.EXCEPTION:
                error = raised_by_submission(answer.get("exception"), detail)
            error.add_note(text_field(answer, "trace", _MAX_TRACE))  # for staff
            raise error
    raise SubmissionFailure(Cause.PROTOCOL, f"the answer to {target} has an unknown form")


def results(answer: Any, targets: Sequence[str]) -> list[Any]:
    """The results in an answer to several calls, a `Raised` for each that failed.

    Raises what `result` raises if the answer as a whole is a failure.
    """
    what = f"calls of {', '.join(sorted(set(targets)))}"
    answers = result(answer, what)
    if type(answers) is not list or len(answers) != len(targets):
        raise SubmissionFailure(Cause.PROTOCOL, f"the answer to {what} has an unknown form")
    found: list[Any] = []
    for one, target in zip(answers, targets, strict=True):
        try:
            found.append(result(one, target))
        except Exception as error:
            found.append(Raised(error))
    return found


def is_end(answer: Any) -> bool:
    """Whether an answer says that an iterator has no more items."""
    return isinstance(answer, dict) and answer.keys() == {"ended"}


def bytecode(answer: Any, files: Sequence[str]) -> dict[str, bytes]:
    """The bytecode in an answer, by file; entries for files that were not requested are dropped."""
    found = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        return {}
    return {n: code for n, code in found.items() if n in files and type(code) is bytes}


class ImportReport(NamedTuple):
    """What a worker says of an import; what has another type than here counts as unsaid."""

    parameters: dict[str, list[str]] | None = None  # by function; None if the import failed
    stubs: Sequence[str] = ()  # names of functions that are still the handout's
    changes: Sequence[Change] = ()  # what it has left changed
    failed: str = ""
    type: str = ""  # of the exception
    message: str = ""
    file: str = ""
    line: int = 0


def import_report(answer: Any) -> ImportReport:
    """Reads an import's answer; raises SubmissionFailure if it is no dict.

    Types are checked before values: to compare an array, or to take its truth value, may raise.
    """
    if not isinstance(answer, dict):
        raise SubmissionFailure(Cause.PROTOCOL, "the answer to an import has an unknown form")
    kinds = {"failed": str, "type": str, "message": str, "file": str, "line": int}
    known = {n: answer[n] for n, kind in kinds.items() if type(answer.get(n)) is kind}
    if isinstance(found := answer.get("result"), dict):
        known["parameters"] = {
            name: names
            for name, names in found.items()
            if isinstance(names, list) and all(isinstance(n, str) for n in names)
        }
    if isinstance(stubs := answer.get("stubs"), list):
        known["stubs"] = [name for name in stubs if isinstance(name, str)]
    changes = _places(answer.get("changes"), slice(_MAX_CHANGES), tuple)
    known["changes"] = [(file, line, what[:_MAX_CHANGE]) for file, line, what in changes]
    return ImportReport(**known)


def _places(
    found: Any, which: slice, kind: type[list[Any]] | type[tuple[Any, ...]]
) -> Iterator[tuple[str, int, str]]:
    """The entries (file, line, text) in a slice of a list, each itself of the type `kind`.

    Those of another form, or of a file that cannot be a module, are dropped.
    """
    for entry in found[which] if isinstance(found, list) else ():
        if isinstance(entry, kind) and [type(part) for part in entry] == [str, int, str]:
            file, line, text = entry
            if len(file) <= _MAX_PATH and _FILE.fullmatch(file) and 0 <= line < 10**7:
                yield file, line, text


def text_field(answer: dict[Any, Any], name: str, limit: int) -> str:
    """One text of an answer, truncated to `limit` characters; "" if it is not a text."""
    value = answer.get(name)
    return value[:limit] if isinstance(value, str) else ""


def failure_detail(answer: dict[Any, Any], target: str) -> str:
    """Formats a failure reported by the worker; every field is untrusted.

    The exception, then the submission's own lines, innermost last; `target: exception` if none:

    KeyError: 'B'
      resource_accounting/flops.py:12 in mlp_flops
    """
    parts = [text_field(answer, "type", _MAX_TYPE), text_field(answer, "message", _MAX_MESSAGE)]
    head = ": ".join(part for part in parts if part) or text_field(answer, "failed", _MAX_TYPE)
    lines = [
        f"{file}:{line} in {function}"
        for file, line, function in _places(answer.get("frames"), slice(-_MAX_FRAMES, None), list)
        if line and _FUNCTION.fullmatch(function)
    ]
    return "\n  ".join([head, *lines]) if lines else f"{target}: {head}"
