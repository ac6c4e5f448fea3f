"""The one list of what a container gets: what grading needs, and nothing else.

No handout, no wrong submissions, no text of the assignment, no tests of the grader, and neither
`grader/authoring` nor this package.
"""

from __future__ import annotations

from pathlib import Path

from grader.judge.provenance import GRADING_FILES
from grader.paths import REPOSITORY

TEMPLATES = Path(__file__).parent / "templates"
PYTHON = "3.11.15"  # the interpreter of every container


class PackError(Exception):
    """Nothing can be packed; the message says what is in the way."""


def contents(root: Path = REPOSITORY) -> dict[str, bytes]:
    """Every file that grading needs, by its path with forward slashes, in sorted order.

    Raises:
        PackError: something of the list is not there, or is not a plain file.
    """
    files: dict[str, bytes] = {}
    for pattern in GRADING_FILES:
        found = list(root.glob(pattern))
        if not found:
            raise PackError(f"{root} holds no {pattern}; pack from a whole checkout")
        for path in found:
            name = path.relative_to(root).as_posix()
            if path.is_symlink() or not path.is_file():
                raise PackError(f"{name} is not a plain file; put the file itself there")
            files[name] = path.read_bytes().replace(b"\r\n", b"\n")
    return dict(sorted(files.items()))


def template(name: str, **values: str) -> bytes:
    """A template with each `@NAME@` in it replaced by the value of that name."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    for key, value in values.items():
        place = f"@{key.upper()}@"
        if place not in text:
            raise PackError(f"the template {name} has no place for {place}")
        text = text.replace(place, value)
    return text.encode()
