"""The line of a TOML file in which a key is set, which tomllib does not report."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line, counted from 1, where the value at `path` of a valid TOML text begins.

    If nothing is at `path`: the line of the table that would contain it, or 1 for the top level.

        line_of('[[exercise]]\\nid = "a"\\n', ("exercise", 0, "id"))  →  2
    """
    # The shortest beginning of the text that can be parsed and has the path ends with the value.
    # The value begins where the last beginning without it ends.
    lines = text.split("\n")
    while path and not _holds(tomllib.loads(text), path):
        path = path[:-1]
    if not path:
        return 1
    before, after = 0, len(lines)  # parsable beginnings: `before` lacks the path, `after` has it
    while True:
        middle = next((n for n in _between(before, after) if _parsed(lines[:n]) is not None), None)
        if middle is None:
            return before + 1
        if _holds(_parsed(lines[:middle]) or {}, path):
            after = middle
        else:
            before = middle


def _between(before: int, after: int) -> list[int]:
    """The numbers between two others, starting from the middle."""
    middle = (before + after) / 2
    return sorted(range(before + 1, after), key=lambda n: abs(n - middle))


def _parsed(lines: Sequence[str]) -> dict[str, Any] | None:
    try:
        return tomllib.loads("".join(f"{line}\n" for line in lines))
    except tomllib.TOMLDecodeError:  # it ends in the middle of a value
        return None


def _holds(value: Any, path: Sequence[str | int]) -> bool:
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return False
        elif not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return True
