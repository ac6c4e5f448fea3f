"""Handouts, as students have them."""

import compileall
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


@pytest.fixture
def workspace(pristine, tmp_path):
    """A copy of it, which a test may change."""
    return Path(shutil.copytree(pristine, tmp_path / "handout"))


@pytest.fixture(scope="module")
def shared_workspace(pristine, tmp_path_factory):
    """A copy that all tests of a file use, one after the other."""
    return Path(shutil.copytree(pristine, tmp_path_factory.mktemp("shared") / "handout"))
