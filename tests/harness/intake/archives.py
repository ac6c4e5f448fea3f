"""Submissions as folders, zips and tars, for the tests of staging."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import msgspec
import pytest

from grader.intake.entries import SubmissionError
from grader.intake.stage import Selected, stage

PACKAGE = "resource_accounting"
MODULES = ("dtypes", "strides", "flops")
TEXT = b"def f():\n    return 1\n"


class Staged(Selected, frozen=True):
    """A staged submission, and where it is."""

    folder: Path


def run(
    submission: Path, destination: Path | None = None, modules: tuple[str, ...] = MODULES
) -> Staged:
    """Stages a submission, by default into the folder `out` beside it."""
    destination = destination or submission.with_name("out")
    selected = stage(submission, destination, PACKAGE, modules)
    return Staged(**msgspec.structs.asdict(selected), folder=destination)


def staged_files(staged: Staged) -> set[str]:
    """Every file that was staged, by its path inside the staged folder."""
    folders = [Path(folder) for folder, _, _ in os.walk(staged.folder)]
    return {
        str(path.relative_to(staged.folder))
        for folder in folders
        for path in folder.iterdir()
        if not path.is_dir() or path.is_symlink()
    }


def make_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tar_bytes(members: list[tuple[tarfile.TarInfo, bytes]], **options: object) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **options) as archive:
        for info, data in members:
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def write_folder(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def write_tar(mode: str):
    def write(path: Path, files: dict[str, bytes]) -> Path:
        with tarfile.open(path, mode) as archive:
            for name, data in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return path

    return write


KINDS = {
    "folder": write_folder,
    "zip": make_zip,
    "tar": write_tar("w"),
    "tar.gz": write_tar("w:gz"),
    "tar.bz2": write_tar("w:bz2"),
    "tar.xz": write_tar("w:xz"),
}


def mark_member(path: Path, name: str, *, flags: int = 0, method: int | None = None) -> None:
    """Adds a member that is marked as encrypted, or as compressed with another method."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, TEXT)
        info = archive.infolist()[-1]
        info.flag_bits |= flags
        info.compress_type = info.compress_type if method is None else method


def refused(path: Path) -> str:
    """Asserts that a submission is refused and nothing is written; returns the message."""
    with pytest.raises(SubmissionError) as caught:
        run(path)
    assert not path.with_name("out").exists()
    return str(caught.value)
