"""Readers: what they find on the disk, and what they leave there."""

import pytest

from assignment.calls import readers


def test_leave_only_removes_everything_else_in_the_folder(tmp_path):
    kept, other = tmp_path / "run.pt", tmp_path / "run.pt.tmp"
    readers.write_files({str(kept): b"whole", str(other): b"half"})
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies" / "last").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "copies")
    assert readers.leave_only(str(kept)) == [len(b"whole")]
    assert readers.names_in(str(tmp_path)) == ["run.pt"]
    assert readers.file_bytes(str(kept)) == b"whole"


def test_leave_only_removes_nothing_if_a_file_is_missing(tmp_path):
    readers.write_files({str(tmp_path / "other"): b""})
    with pytest.raises(FileNotFoundError):
        readers.leave_only(str(tmp_path / "run.pt"))
    assert readers.names_in(str(tmp_path)) == ["other"]
