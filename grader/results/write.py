"""Writes every output of one grading into a folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from grader.results.gradescope import to_gradescope
from grader.results.html import to_html
from grader.results.junit import to_junit
from grader.results.record import Grade, to_json

_GRADE = "grade.json"
STAFF_ONLY = 0o600
OUTPUTS = ("report.html", "junit.xml", "results.json", _GRADE)


def clear(folder: Path) -> None:
    """Removes what an earlier grading wrote, its grade first."""
    for name in reversed(OUTPUTS):
        (folder / name).unlink(missing_ok=True)


def write_all(grade: Grade, folder: Path) -> None:
    """Writes report.html, junit.xml, results.json and, last, grade.json (mode 0600: staff only).

    Each file is complete or absent. If grade.json is there, all files are, from the same grading.
    Without a score there is no results.json.
    """
    outputs = {"report.html": to_html(grade).encode(), "junit.xml": to_junit(grade)}
    if grade.score is not None:
        outputs["results.json"] = to_gradescope(grade)
    record = to_json(grade)

    folder.mkdir(parents=True, exist_ok=True)
    clear(folder)
    for name, data in outputs.items():
        write_atomically(folder / name, data, mode=0o644)
    write_atomically(folder / _GRADE, record)


def write_atomically(path: Path, data: bytes, mode: int = STAFF_ONLY) -> None:
    """Replaces `path` by a file of these bytes; a crash leaves the old file or the new one."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the rename itself
    finally:
        os.close(folder)
