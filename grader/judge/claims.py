"""What a worker says of a failure: every field is a claim, so types are checked and lengths capped.

Nothing here decides a mark. Students read it where the test is public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TYPE, _MESSAGE, _PATH, _FRAMES = 200, 1000, 200, 8
_FILE = re.compile(r"(?:\w{1,80}/)+\w{1,80}\.py")  # below the submission's folder
_FUNCTION = re.compile(r"[\w<>]{1,80}")


def claimed(answer: dict[Any, Any], name: str, limit: int) -> str:
    """A text of an answer, cut; empty if it is none."""
    value = answer.get(name)
    return value[:limit] if isinstance(value, str) else ""


def failure_detail(answer: dict[Any, Any], target: str) -> str:
    """A failure in words: the exception, then the submission's own lines, innermost last.

    KeyError: 'B'
      resource_accounting/flops.py:12 in mlp_flops
    """
    parts = [claimed(answer, "type", _TYPE), claimed(answer, "message", _MESSAGE)]
    head = ": ".join(part for part in parts if part) or claimed(answer, "failed", _TYPE)
    places = list(_places(answer.get("frames")))
    return "\n  ".join([head, *places]) if places else f"{target}: {head}"


def _places(frames: Any) -> Iterator[str]:
    """The frames that have their known form: [file, line, function]."""
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
