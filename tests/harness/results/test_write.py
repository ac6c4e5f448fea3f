"""The record and the other files: written whole, the record last and for staff alone."""

import json
import os
import stat

import pytest

from grader.results import write
from grader.results.record import from_json, to_json
from tests.harness.results.example_grade import check, console, exercise, grade


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_no_record_holds_nan_or_infinity(value):
    with pytest.raises(ValueError, match=r"Grade.score is -?(nan|inf), not a finite number"):
        grade(score=value)
    with pytest.raises(ValueError, match=r"Check.points is"):
        check("a", points=value)
    with pytest.raises(ValueError, match=r"ExerciseScore.max_points is"):
        exercise("a", 0.0, value)


def test_a_file_name_that_is_not_utf8_does_not_stop_the_record():
    of = grade(left_out=("caf\udce9.py",))
    assert json.loads(to_json(of))["left_out"] == ["caf\\udce9.py"]
    assert "caf\ufffd.py" in console(of)


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_all_files_are_written_and_only_staff_reads_the_record(tmp_path):
    old = os.umask(0o077)
    try:
        write.write_all(grade(), tmp_path / "new" / "out")
    finally:
        os.umask(old)
    modes = {path.name: mode(path) for path in (tmp_path / "new" / "out").iterdir()}
    assert modes == {
        "grade.json": 0o600,
        "results.json": 0o644,
        "report.html": 0o644,
        "junit.xml": 0o644,
    }
    assert from_json((tmp_path / "new" / "out" / "grade.json").read_bytes()) == grade()


def test_a_fault_takes_an_older_score_away(tmp_path):
    write.write_all(grade(), tmp_path)
    write.write_all(grade(score=None), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "grade.json",
        "junit.xml",
        "report.html",
    ]


def test_a_crash_leaves_no_half_file_and_no_older_one(tmp_path, monkeypatch):
    write.write_all(grade(), tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write.write_all(grade(score=1.0), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_record_is_written_last(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(write, "write_atomically", lambda path, *_, **__: written.append(path.name))
    write.write_all(grade(), tmp_path)
    assert sorted(written[:-1]) == ["junit.xml", "report.html", "results.json"]
    assert written[-1] == "grade.json"


def test_a_link_in_the_folder_is_replaced_and_not_followed(tmp_path):
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "grade.json").symlink_to(target)
    (tmp_path / "out" / "results.json").symlink_to(target)
    write.write_all(grade(), tmp_path / "out")
    assert target.read_text() == "mine"
    assert not (tmp_path / "out" / "results.json").is_symlink()
