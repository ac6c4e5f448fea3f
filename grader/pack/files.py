"""The files that a container gets: only what grading needs.

The handout, wrong submissions, the text of the assignment, tests of the grader, `grader/authoring`
and this package are left out.
"""

from __future__ import annotations

from pathlib import Path

from grader.judge.provenance import GRADING_FILES, grading_files
from grader.paths import REPOSITORY
from grader.results.html import templates

_TEMPLATES = templates(Path(__file__).parent / "templates", autoescape=False)
PYTHON = "3.11.15"  # the version in every container


class PackError(Exception):
    """Nothing can be packed; the message says why."""


def contents(root: Path = REPOSITORY) -> dict[str, bytes]:
    """Every file that grading needs, by its path with forward slashes, sorted.

    Raises PackError if a file of the list is missing, or is not a regular file.
    """
    for pattern in GRADING_FILES:
        found = list(root.glob(pattern))
        if not found:
            raise PackError(f"{root} holds no {pattern}; pack from a whole checkout")
        for path in found:
            if path.is_symlink() or not path.is_file():
                name = path.relative_to(root).as_posix()
                raise PackError(f"{name} is not a regular file; replace it by one")
    return dict(sorted(grading_files(root).items()))


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Writes files below a folder, by their paths in it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def template(name: str, **values: str | bool) -> bytes:
    """A template, filled in with these values."""
    return f"{_TEMPLATES.get_template(name).render(values)}\n".encode()
