"""The build context for Docker: a Dockerfile beside the grader."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.pack.files import PYTHON, PackError, contents, template
from grader.paths import REPOSITORY

_MARK = b"# Made by `grader pack docker`."


def context(root: Path = REPOSITORY) -> dict[str, bytes]:
    """Every file of the build context by its path, sorted; raises PackError."""
    files = contents(root) | {"Dockerfile": template("Dockerfile", python=PYTHON)}
    return dict(sorted(files.items()))


def check_folder(folder: Path) -> None:
    """Raises PackError unless the folder is new, empty or an older build context."""
    if folder.exists() and not folder.is_dir():
        raise PackError(f"{folder} is not a folder; name one that is empty or new")
    if folder.is_dir() and any(folder.iterdir()):
        old = folder / "Dockerfile"
        if not old.is_file() or not old.read_bytes().startswith(_MARK):
            raise PackError(f"{folder} holds something else; name a folder that is empty or new")


def write(folder: Path, root: Path = REPOSITORY) -> None:
    """Writes the build context into `folder`, and removes an older one.

    Raises:
        PackError: the folder holds something else, or a file to pack is missing.
    """
    files = context(root)
    check_folder(folder)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # it holds the hidden tests
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
