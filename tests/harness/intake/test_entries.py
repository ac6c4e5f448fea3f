"""The limits that folders, zips and tars share."""

import pytest

from grader.intake import entries
from grader.intake.entries import SubmissionError
from tests.harness.intake.archives import KINDS, PACKAGE, TEXT, make_zip, refused, run, staged_files


def test_archive_of_too_many_entries_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MAX_ENTRIES", 100)
    files = {f"{PACKAGE}/strides.py": TEXT} | {f"junk/{i}": b"" for i in range(100)}
    with pytest.raises(SubmissionError, match="more than 100 files"):
        run(make_zip(tmp_path / "in.zip", files), tmp_path / "out")


def test_ignored_folders_do_not_count_as_entries(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MAX_ENTRIES", 100)
    files = {f"{PACKAGE}/strides.py": TEXT} | {f".venv/{i}.py": b"" for i in range(200)}
    for i, kind in enumerate(("folder", "zip")):
        staged = run(KINDS[kind](tmp_path / f"in.{kind}", files), tmp_path / f"out{i}")
        assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}


def test_missing_path_is_refused(tmp_path):
    assert "does not exist; expected a folder, zip or tar" in refused(
        tmp_path / "nothing", tmp_path / "out"
    )
