"""The build context for Docker: a Dockerfile beside the grader."""

from __future__ import annotations

import shutil
from pathlib import Path

from grader.pack.files import PYTHON, PackError, contents, template
from grader.paths import REPOSITORY

_MARK = b"# Made by `grader pack docker`."
# Torch's packages hold CUDA; the driver is the host's. The digest is one of this tag's, which is
# rebuilt with Debian's updates: `--base` takes a newer one.
_DIGEST = "sha256:d29f48a31a8b408ed19272ca1e7b10ebae13b240a27e862d3d4217c528e2e0c3"
BASE = f"python:{PYTHON}-slim-bookworm@{_DIGEST}"
_CPU_INDEX = """\
The address is PyTorch's index of CPU builds, from PyTorch's install page. Without it the
#       image holds several GB for CUDA."""
_CUDA_INDEX = "The address is PyTorch's index of builds for the driver's CUDA; or leave it out."
_CUDA_RUN = """\
#   docker run … --gpus device=0 --entrypoint python autograder -m grader doctor --cuda
#       shows whether workers can use the device. It needs the NVIDIA Container Toolkit. To time
#       programs, grade with --gpus device=0 and, after `autograder`, --timing require: one
#       submission at a time on a device.
#
"""
_CUDA_ENVIRONMENT = """\
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
"""
_CUDA_PACKAGES = ', *project["optional-dependencies"]["cuda"]'


def context(root: Path = REPOSITORY, cuda: bool = False, base: str = BASE) -> dict[str, bytes]:
    """Every file of the build context by its path, sorted; raises PackError.

    `cuda` is for a runner with a CUDA device; `base` is best given with its digest.
    """
    made = template(
        "Dockerfile",
        base=base,
        index=_CUDA_INDEX if cuda else _CPU_INDEX,
        device=_CUDA_RUN if cuda else "",
        environment=_CUDA_ENVIRONMENT if cuda else "",
        extra=_CUDA_PACKAGES if cuda else "",
    )
    files = contents(root) | {"Dockerfile": made}
    return dict(sorted(files.items()))


def check_folder(folder: Path) -> None:
    """Raises PackError unless the folder is new, empty or an older build context."""
    if folder.exists() and not folder.is_dir():
        raise PackError(f"{folder} is not a folder; name one that is empty or new")
    if folder.is_dir() and any(folder.iterdir()):
        old = folder / "Dockerfile"
        if not old.is_file() or not old.read_bytes().startswith(_MARK):
            raise PackError(f"{folder} holds something else; name a folder that is empty or new")


def write(folder: Path, root: Path = REPOSITORY, cuda: bool = False, base: str = BASE) -> None:
    """Writes the build context into `folder`, and removes an older one. Takes what `context` takes.

    Raises:
        PackError: the folder holds something else, or a file to pack is missing.
    """
    files = context(root, cuda, base)
    check_folder(folder)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # it holds the hidden tests
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
