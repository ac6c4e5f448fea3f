"""Why a test failed, in as few lines as a student needs.

Of a traceback only the lines of the test and of the student's code are shown; those of pytest, of
fixtures and of the type checker say nothing about the student's code.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from assignment.expect import Mismatch
from assignment.shapes import shape_error

_SHOWN_STATEMENT_LINES = 5
_SHOWN_PLACES = 4  # at each end of a traceback


def explain(
    error: pytest.ExceptionInfo[BaseException], test: Path, root: Path, package: Path
) -> str:
    """Describes a failure: what happened and where.

    Args:
        error: the exception that the test raised.
        test: the test's file.
        root: paths are shown relative to this folder.
        package: folder of the student's package, whose lines are shown.
    """
    value = error.value
    if isinstance(value, SyntaxError) and value.filename:
        line = (value.text or "").strip()
        return (
            f"{_short(Path(value.filename), root)}:{value.lineno} cannot be read:"
            f"\n    {line}\n{type(value).__name__}: {value.msg}"
        )
    frames = [
        entry
        for entry in error.traceback
        if (path := _path(entry)) == test or package in path.parents or _is_scenario(path)
    ]
    if isinstance(value, Mismatch):
        at = [f"in {_where(frames[-1], root)}"] if frames else []
        return "\n".join([str(value), *at])
    places: list[str] = []
    for entry, repeats in _runs(frames):
        if repeats is None:
            places.append("… more calls …")
            continue
        lines = _statement(entry)
        if _path(entry) == test and len(lines) > 1:
            lines = [lines[0] + " …"]  # the expected value and the hint are for another failure
        if repeats > 1:
            lines.append(f"… {repeats} times")
        places.append("\n    ".join([_where(entry, root), *lines]))
    return "\n".join([*places, _message(value)])


def _runs(frames: list[Any]) -> list[tuple[Any, int | None]]:
    """The calls with their number of repeats in a row, and (None, None) where some are left out."""
    runs: list[tuple[Any, int | None]] = []
    for _, group in itertools.groupby(frames, key=lambda entry: (_path(entry), entry.lineno)):
        same = list(group)
        runs.append((same[0], len(same)))
    if len(runs) > 2 * _SHOWN_PLACES:
        runs[_SHOWN_PLACES:-_SHOWN_PLACES] = [(None, None)]
    return runs


def is_import_failure(error: pytest.ExceptionInfo[BaseException]) -> bool:
    """Whether a module could not be imported: then every test that uses it fails the same way."""
    return any("importlib" in str(entry.path) for entry in error.traceback)


def nothing_raised(text: str) -> str:
    """Rewords pytest's message that no exception was raised; "" for any other text."""
    raised = re.fullmatch(r"DID NOT RAISE (?:<class '(?:.*\.)?)?(\w+)(?:'>)?", text)
    return f"expected {raised[1]}, but nothing was raised" if raised else ""


def _message(value: BaseException) -> str:
    """The exception as text: shape errors shortened, pytest's failures without a class name."""
    if shape := shape_error(str(value)):
        return shape
    if isinstance(value, pytest.fail.Exception):
        return nothing_raised(str(value)) or str(value)
    name = type(value).__name__
    return f"{name}: {value}" if str(value) else name


def _path(entry: Any) -> Path:
    return Path(str(entry.path))


def _is_scenario(path: Path) -> bool:
    return path.parent == Path(__file__).parent / "scenarios" and path.stem != "__init__"


def _short(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if root in path.parents else str(path)


def _where(entry: Any, root: Path) -> str:
    return f"{_short(_path(entry), root)}:{entry.lineno + 1} {entry.name}"


def _statement(entry: Any) -> list[str]:
    """The source of the statement that was running."""
    lines = textwrap.dedent(str(entry.statement)).strip().splitlines()
    if len(lines) > _SHOWN_STATEMENT_LINES:
        lines = [*lines[:_SHOWN_STATEMENT_LINES], "…"]
    return lines
