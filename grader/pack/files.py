"""The files that a container gets: only what grading needs.

The handout, wrong submissions, the text of the assignment, tests of the grader, `grader/authoring`
and this package are left out.
"""

from __future__ import annotations

from pathlib import Path

from grader.judge.provenance import GRADING_FILES
from grader.paths import REPOSITORY

TEMPLATES = Path(__file__).parent / "templates"
PYTHON = "3.11.15"  # the version in every container


class PackError(Exception):
    """Nothing can be packed; the message says why."""


def contents(root: Path = REPOSITORY) -> dict[str, bytes]:
    """Every file that grading needs, by its path with forward slashes, sorted.

    Raises:
        PackError: a file of the list is missing, or is not a regular file.
    """
    files: dict[str, bytes] = {}
    for pattern in GRADING_FILES:
        found = list(root.glob(pattern))
        if not found:
            raise PackError(f"{root} holds no {pattern}; pack from a whole checkout")
        for path in found:
            name = path.relative_to(root).as_posix()
            if path.is_symlink() or not path.is_file():
                raise PackError(f"{name} is not a regular file; replace it by one")
            files[name] = path.read_bytes().replace(b"\r\n", b"\n")
    return dict(sorted(files.items()))


def template(name: str, **values: str) -> bytes:
    """A template with each `@NAME@` replaced by the value of that name."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for key, value in values.items():
        place = f"@{key.upper()}@"
        if place not in text:
            raise PackError(f"the template {name} has no place for {place}")
        text = text.replace(place, value)
    return text.encode()
