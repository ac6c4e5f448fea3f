"""The build context for Docker: a Dockerfile beside the grader."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.pack.files import PYTHON, PackError, contents, template, write_files

_MARK = b"# Made by `grader pack docker`."
# Torch's packages hold CUDA; the driver is the host's. The digest is one of this tag's, which is
# rebuilt with Debian's updates: `--base` takes a newer one.
_DIGEST = "sha256:d29f48a31a8b408ed19272ca1e7b10ebae13b240a27e862d3d4217c528e2e0c3"
BASE = f"python:{PYTHON}-slim-bookworm@{_DIGEST}"


def check_folder(folder: Path) -> None:
    """Raises PackError unless the folder is new, empty or an older build context."""
    if folder.exists() and not folder.is_dir():
        raise PackError(f"{folder} is not a folder; name one that is empty or new")
    if folder.is_dir() and any(folder.iterdir()):
        old = folder / "Dockerfile"
        if not old.is_file() or not old.read_bytes().startswith(_MARK):
            raise PackError(f"{folder} holds something else; name a folder that is empty or new")


def write(folder: Path, cuda: bool = False, base: str = BASE) -> None:
    """Writes the build context into `folder`, and removes an older one.

    `cuda` is for a runner with a CUDA device; `base` is best given with its digest. Raises
    PackError if the folder holds something else, or a file to pack is missing.
    """
    files = contents() | {"Dockerfile": template("Dockerfile", base=base, cuda=cuda)}
    check_folder(folder)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # it holds the hidden tests
    write_files(files, folder)
