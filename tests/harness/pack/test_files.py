"""The packed files: all that grading needs, and no other."""

import shutil
from pathlib import Path

import pytest

from grader.pack import files
from tests.harness.conftest import REPOSITORY
from tests.harness.pack.conftest import copied

FOLDERS = {
    *("assignment", "assignment/calls", "assignment/material", "assignment/student"),
    *("assignment/scenarios", "assignment/programs"),
    *("solutions", "solutions/resource_accounting", "solutions/naive/resource_accounting"),
    *("tests/public", "tests/hidden", "tests/timing"),
    *("grader", "grader/doctor", "grader/intake", "grader/judge", "grader/races"),
    *("grader/results", "grader/sandbox", "grader/supervisor", "grader/wire", "grader/worker"),
}


OTHERS = {
    *("pyproject.toml", "constraints.txt", "tests/reference_times.toml"),
    *("assignment/assignment.toml", "assignment/hardware.toml"),
    *("grader/judge/judge.ini", "grader/results/report.html"),
}


def test_contents_are_only_what_grading_needs():
    """The checkout has other files in these folders, compiled ones too, and many other folders"""
    packed = files.contents()
    modules = {name for name in packed if name.endswith(".py")}
    assert packed.keys() - modules == OTHERS
    assert {str(Path(name).parent) for name in modules} == FOLDERS
    for folder in FOLDERS:
        ours = {f"{folder}/{p.name}" for p in (REPOSITORY / folder).glob("*.py")}
        assert ours <= packed.keys()
    assert all(packed[name] == (REPOSITORY / name).read_bytes() for name in packed)


def test_missing_and_linked_files_are_refused(tmp_path):
    root = copied(tmp_path)
    path = root / "tests" / "hidden" / "test_strides.py"
    path.unlink()
    path.symlink_to(root / "pyproject.toml")
    with pytest.raises(files.PackError, match=r"test_strides\.py is not a regular file"):
        files.contents(root)
    shutil.rmtree(path.parent)
    with pytest.raises(files.PackError, match=r"tests/hidden/\*\.py; pack from a whole checkout"):
        files.contents(root)
