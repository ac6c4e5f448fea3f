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


def test_contents_are_only_what_grading_needs():
    packed = files.contents()
    assert {str(Path(name).parent) for name in packed} == {".", "tests", *FOLDERS}
    assert {n for n in packed if "/" not in n} == {"pyproject.toml", "constraints.txt"}
    assert {Path(n).suffix for n in packed} == {".py", ".toml", ".ini", ".html", ".txt"}
    for folder in FOLDERS:
        ours = {f"{folder}/{p.name}" for p in (REPOSITORY / folder).glob("*.py")}
        assert ours <= packed.keys()
    assert all(packed[name] == (REPOSITORY / name).read_bytes() for name in packed)


def test_other_files_of_the_checkout_stay_out(tmp_path):
    root = copied(tmp_path)
    before = files.contents(root)
    for name in (
        ".git/config",
        ".venv/bin/python",
        "handout/README.md",
        "solutions/wrong/adamw_no_decay.py",
        "solutions/equivalent_mutants.toml",
        "assignment/__pycache__/plain.cpython-311.pyc",
        "assignment/writeup/index.md",
        "grader/README.md",
        "grader/authoring/verify.py",
        "grader/pack/files.py",
        "tests/harness/pack/test_files.py",
        "tests/hidden/.test_strides.py.swp",
        "out/grade.json",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    assert files.contents(root) == before


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
