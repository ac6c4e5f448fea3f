"""What a worker's answers claim: every type is checked and every text is cut.

An answer comes from a process that the submission's code owns. Nothing that it says about itself
decides a mark; students read what it says of a failure where the test is public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from grader.judge.failure import SubmissionFailure, raised_by_submission
from grader.results.causes import Cause

# What a worker may claim to have failed of; every other cause is the judge's own observation.
CAUSES = {
    cause.value: cause
    for cause in (
        Cause.NOT_STARTED,
        Cause.MISSING,
        Cause.IMPORT_FAILED,
        Cause.WRONG_SIGNATURE,
        Cause.EXCEPTION,
        Cause.NOT_PLAIN_DATA,
        Cause.MEMORY,
    )
}
_TRACE = 4000
_TYPE, _MESSAGE, _PATH, _FRAMES = 200, 1000, 200, 8
_FILE = re.compile(r"(?:\w{1,80}/)+\w{1,80}\.py")  # below the submission's folder
_FUNCTION = re.compile(r"[\w<>]{1,80}")


def result(answer: Any, target: str) -> Any:
    """The result in an answer to a call of `target`.

    Raises:
        SubmissionFailure: the answer has no known form, or claims another failure.
        Exception: of the nearest built-in class, if it claims that the code raised one.
    """
    if isinstance(answer, dict):
        if answer.keys() == {"result"}:
            return answer["result"]
        failed = answer.get("failed")  # compared, never printed: a million tensors take minutes
        if isinstance(failed, str) and (cause := CAUSES.get(failed)) is not None:
            detail = failure_detail(answer, target)
            error: Exception = SubmissionFailure(cause, detail)
            if cause is Cause.EXCEPTION:
                error = raised_by_submission(answer.get("exception"), detail)
            error.add_note(claimed(answer, "trace", _TRACE))  # for staff
            raise error
    raise SubmissionFailure(Cause.PROTOCOL, f"the answer to {target} has no known form")


def bytecode(answer: Any, files: Sequence[str]) -> dict[str, bytes]:
    """The bytecode in an answer, of files that were asked for."""
    found = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        return {}
    return {n: code for n, code in found.items() if n in files and type(code) is bytes}


def import_report(answer: Any) -> dict[str, Any]:
    """What of an import's answer has its known form: an array has neither truth nor equality."""
    if not isinstance(answer, dict):
        return {}
    kinds = {"failed": str, "type": str, "message": str, "file": str, "line": int}
    known: dict[str, Any] = {
        name: answer[name] for name, kind in kinds.items() if type(answer.get(name)) is kind
    }
    if isinstance(found := answer.get("result"), dict):
        known["result"] = {
            name: names
            for name, names in found.items()
            if isinstance(names, list) and all(isinstance(n, str) for n in names)
        }
    if isinstance(stubs := answer.get("stubs"), list):
        known["stubs"] = [name for name in stubs if isinstance(name, str)]
    return known


def claimed(answer: dict[Any, Any], name: str, limit: int) -> str:
    """One text of an answer, cut to `limit` characters; "" if it is no text."""
    value = answer.get(name)
    return value[:limit] if isinstance(value, str) else ""


def failure_detail(answer: dict[Any, Any], target: str) -> str:
    """A claimed failure: the exception, then the submission's own lines, innermost last.

    KeyError: 'B'
      resource_accounting/flops.py:12 in mlp_flops
    """
    parts = [claimed(answer, "type", _TYPE), claimed(answer, "message", _MESSAGE)]
    head = ": ".join(part for part in parts if part) or claimed(answer, "failed", _TYPE)
    places = list(_places(answer.get("frames")))
    return "\n  ".join([head, *places]) if places else f"{target}: {head}"


def _places(frames: Any) -> Iterator[str]:
    """The frames that have the form [file, line, function]."""
    if not isinstance(frames, list):
        return
    for frame in frames[-_FRAMES:]:
        if not isinstance(frame, list) or len(frame) != 3:
            continue
        file, line, function = frame
        if [type(part) for part in frame] != [str, int, str] or len(file) > _PATH:
            continue
        if _FILE.fullmatch(file) and 0 < line < 10**7 and _FUNCTION.fullmatch(function):
            yield f"{file}:{line} in {function}"
