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
    # A binary search for the last beginning of the text that can be parsed and lacks the value: the
    # value begins on the line after it.
    lines = text.split("\n")
    while path and not _has_path(tomllib.loads(text), path):
        path = path[:-1]
    if not path:
        return 1
    before, after = 0, len(lines)  # so many lines lack the value, or have it
    while True:
        middle = next((n for n in _between(before, after) if _parsed(lines[:n]) is not None), None)
        if middle is None:
            return before + 1
        if _has_path(_parsed(lines[:middle]) or {}, path):
            after = middle
        else:
            before = middle


def _between(before: int, after: int) -> list[int]:
    """The numbers between two others, those nearest to the middle first."""
    middle = (before + after) / 2
    return sorted(range(before + 1, after), key=lambda n: abs(n - middle))


def _parsed(lines: Sequence[str]) -> dict[str, Any] | None:
    """The values of the first lines of a valid text; None if these end inside a value."""
    try:
        return tomllib.loads("".join(f"{line}\n" for line in lines))
    except tomllib.TOMLDecodeError:
        return None


def _has_path(value: Any, path: Sequence[str | int]) -> bool:
    """Whether a parsed TOML text has something at a path."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return False
        elif not isinstance(value, Mapping) or step not in value:
            return False
        value = value[step]
    return True
