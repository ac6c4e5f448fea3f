"""Calls that are killed, in a student's own run."""

import os

import pytest

from assignment.calls import forked


@pytest.mark.parametrize("form", [str, os.fsencode, os.path.relpath])
def test_a_move_into_the_folder_is_a_change(tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inside").mkdir()
    changes = forked.FileChanges(tmp_path / "inside")
    inside, beside = form(str(tmp_path / "inside" / "x")), form(str(tmp_path / "y"))
    for event in ("os.rename", "os.link"):
        assert changes._is_change(event, (beside, inside, -1, -1))
        assert changes._is_change(event, (inside, beside, -1, -1))
        assert not changes._is_change(event, (beside, beside, -1, -1))
    assert changes._is_change("os.remove", (inside, -1))


def test_exception_of_the_call_is_printed(tmp_path, capfd):
    def run(stand_ins, target, args, kwargs):
        raise ValueError("lost")

    assert not forked.run_until_killed(run, "toy", (), {}, forked.FileChanges(tmp_path))
    assert "ValueError: lost" in capfd.readouterr().err
