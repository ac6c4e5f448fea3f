"""Folders that a submission has filled are removed."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import folders

USER = 12345  # where this is root, which may enter every folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that `USER` can reach."""
    with tempfile.TemporaryDirectory(prefix="folders-") as name:
        path = Path(name, "folder")
        path.mkdir()
        for changed in (path.parent, path):
            changed.chmod(0o777)
        yield path


def as_user(function) -> None:
    """Runs a function in a fork, as a user without rights."""
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresuid(USER, USER, USER)
            function()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("mode", [0o700, 0o300, 0o500, 0])
def test_folder_that_is_closed_to_its_user_is_removed(folder, mode):
    def fill_and_remove() -> None:
        inside = folder / "inside"
        inside.mkdir()
        (inside / "deeper").mkdir()
        (inside / "deeper" / "file").touch()
        for closed in (inside / "deeper", inside):
            closed.chmod(mode)
        folders.remove(inside)

    as_user(fill_and_remove)
    assert list(folder.iterdir()) == []


def test_what_a_link_means_stays(folder):
    outside = folder.parent / "outside"
    outside.mkdir(mode=0o500)
    (folder / "closed").mkdir()
    (folder / "closed" / "link").symlink_to(outside)
    (folder / "closed").chmod(0)
    folders.remove(folder)
    assert not folder.exists()
    assert outside.stat().st_mode & 0o777 == 0o500
