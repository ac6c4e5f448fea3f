"""The limits that folders, zips and tars share."""

import os

import pytest

from grader.intake import entries
from grader.intake.entries import SubmissionError
from tests.harness.intake.archives import KINDS, PACKAGE, TEXT, make_zip, refused, run, staged_files


def test_archive_of_too_many_entries_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MAX_ENTRIES", 100)
    files = {f"{PACKAGE}/strides.py": TEXT} | {f"junk/{i}": b"" for i in range(100)}
    with pytest.raises(SubmissionError, match="more than 100 files"):
        run(make_zip(tmp_path / "in.zip", files))


@pytest.mark.parametrize(("kind", "limit"), [("folder", "MAX_LISTED"), ("zip", "MAX_ENTRIES")])
def test_what_tools_create_does_not_count(tmp_path, monkeypatch, kind, limit):
    """Such folders are not even opened"""
    monkeypatch.setattr(entries, "MAX_ENTRIES", 100)
    monkeypatch.setattr(entries, limit, 100)
    files = {f"{PACKAGE}/strides.py": TEXT} | {f".venv/{i}.py": b"" for i in range(200)}
    staged = run(KINDS[kind](tmp_path / f"in.{kind}", files))
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist; expected a folder, zip or tar"),
        (lambda path: path.touch(), "is empty"),
        # It is not waited for.
        (os.mkfifo, "is neither a file nor a folder; expected a folder, zip or tar"),
    ],
    ids=["missing", "empty", "pipe"],
)
def test_what_is_no_submission_is_refused(tmp_path, make, words):
    make(tmp_path / "in.zip")
    assert words in refused(tmp_path / "in.zip")
