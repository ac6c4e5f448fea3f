"""Reading a folder ends, and never leaves it."""

import os
from pathlib import PurePosixPath

import pytest

from grader.intake import entries
from grader.intake.entries import folder_entries
from tests.harness.intake.archives import PACKAGE, TEXT, refused, run, staged_files, write_folder


def test_folder_that_cannot_be_listed_is_refused(tmp_path, monkeypatch):
    """The package may be in it"""
    write_folder(tmp_path / "in", {f"{PACKAGE}/strides.py": TEXT, "own/flops.py": TEXT})
    scandir = os.scandir

    def closed(path):
        if str(path).endswith("own"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    assert refused(tmp_path / "in") == (
        f"{tmp_path / 'in' / 'own'} cannot be opened: Permission denied"
    )


def test_files_come_before_subfolders_each_sorted(tmp_path):
    write_folder(tmp_path, dict.fromkeys(["b/z", "b/a/x", "c", "a"], b""))
    assert [str(e.path) for e in folder_entries(tmp_path)] == ["a", "c", "b/z", "b/a/x"]


def test_links_are_not_followed(tmp_path):
    write_folder(tmp_path / "in", {f"{PACKAGE}/strides.py": TEXT})
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in")
    (tmp_path / "in" / PACKAGE / "up").symlink_to("..")
    (tmp_path / "in" / ".venv").symlink_to("/usr")
    (tmp_path / "in" / "gone").symlink_to("nowhere")
    (tmp_path / "in" / "venv").symlink_to("venv")  # once the whole folder could not be read
    staged = run(tmp_path / "in")
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert set(staged.left_out) == {
        *(f"{name} (outside)" for name in (".venv", "gone", "loop", "venv")),
        f"{PACKAGE}/up (not a Python module)",
    }


@pytest.mark.parametrize("name", ["{}/", "{}", "a/b/c/{}/"])
def test_every_file_and_folder_counts(tmp_path, monkeypatch, name):
    monkeypatch.setattr(entries, "MAX_LISTED", 100)
    write_folder(tmp_path / "in", {f"{PACKAGE}/strides.py": TEXT})
    for i in range(101):
        path = tmp_path / "in" / name.format(i)
        if name.endswith("/"):
            path.mkdir(parents=True)
        else:
            path.touch()
    assert "lists more than 100 files and folders" in refused(tmp_path / "in")


def test_folder_deeper_than_any_path_is_refused(tmp_path):
    write_folder(tmp_path / "in", {f"{PACKAGE}/strides.py": TEXT})
    here = os.open(tmp_path / "in", os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert "cannot be opened: File name too long" in refused(tmp_path / "in")


def by_path(root):
    return {entry.path: entry for entry in folder_entries(root)}


@pytest.mark.parametrize("other", ["link", "pipe", "folder", "nothing", "a link above"])
def test_file_that_becomes_something_else_is_not_read(tmp_path, other):
    write_folder(tmp_path, {"secret/x.py": b"secret", "in/a/x.py": TEXT})
    entry = by_path(tmp_path / "in")[PurePosixPath("a/x.py")]
    (tmp_path / "in/a").rename(tmp_path / "old")
    path = tmp_path / "in/a/x.py"
    if other == "a link above":
        path.parent.symlink_to(tmp_path / "secret")
    else:
        path.parent.mkdir()
    if other == "link":
        path.symlink_to(tmp_path / "secret/x.py")
    elif other == "pipe":
        os.mkfifo(path)
    elif other == "folder":
        path.mkdir()
    with pytest.raises(OSError):
        entry.read(100)


def test_file_that_grows_is_read_up_to_the_limit(tmp_path):
    write_folder(tmp_path, {"x.py": TEXT})
    entry = by_path(tmp_path)[PurePosixPath("x.py")]
    os.truncate(tmp_path / "x.py", 2**34)
    assert len(entry.read(1000)) == 1000
