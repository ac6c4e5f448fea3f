"""What the tests of a class that fakes grade have in common."""

import multiprocessing

import pytest

from grader.classroom import engine


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The folder in which fakes note what they grade, in forks: none imports anew what it needs."""
    (folder := tmp_path / "log").mkdir()
    monkeypatch.setenv("FAKE_LOG", str(folder))
    context = multiprocessing.get_context("fork")
    monkeypatch.setattr(engine.multiprocessing, "get_context", lambda _: context)
    return folder
