"""Handouts, as students have them."""

import compileall
import os
import shutil
from pathlib import Path

import pytest

from tests.harness.assignment.students import copy_handout


@pytest.fixture(scope="session")
def pristine(tmp_path_factory):
    """A handout outside this repository."""
    folder = tmp_path_factory.mktemp("handout") / "handout"
    copy_handout(folder)
    compileall.compile_dir(folder, quiet=2)  # once, not in each copy
    return folder


def link_or_copy(source, target):
    """In `assignment/` tests write into no file but the manifest, so a link does."""
    is_theirs = "handout/assignment/" not in source or source.endswith("assignment.toml")
    (shutil.copy2 if is_theirs else os.link)(source, target)


@pytest.fixture
def workspace(pristine, tmp_path):
    """A copy of it, which a test may change."""
    return Path(shutil.copytree(pristine, tmp_path / "handout", copy_function=link_or_copy))


@pytest.fixture(scope="module")
def shared_workspace(pristine, tmp_path_factory):
    """A copy that all tests of a file use, one after the other."""
    folder = tmp_path_factory.mktemp("shared") / "handout"
    return Path(shutil.copytree(pristine, folder, copy_function=link_or_copy))
