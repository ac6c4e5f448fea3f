"""What a worker left, read by the judge: what is no usual file fails the submission, and soon."""

import errno
import os
from pathlib import Path

import pytest

from assignment.calls import readers
from grader.causes import Cause
from grader.faults import FromSubmission, GraderFault, builtin_named
from grader.judge.verdict import cause_of
from grader.supervisor.control import Folder
from grader.supervisor.left_files import PARSE_NOTHING, LeftFiles
from grader.wire import frames


@pytest.fixture
def left(tmp_path):
    """Reads what is in a folder, which the worker saw as /scratch."""
    folder = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield LeftFiles(folder, "/scratch")
    os.close(folder)


def error_of(function, *args):
    """The built-in class that the submission is blamed with."""
    with pytest.raises(OSError) as failed:
        function(*args)
    assert cause_of(failed.value, requests=1) is Cause.EXCEPTION
    return builtin_named(type(failed.value).__name__)


def test_files_and_names_are_those_that_a_local_run_reads(left, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "b").write_bytes(bytes(range(256)) * 1000)
    (inside / "a").write_bytes(b"")
    (inside / "\x1b]0;a\nb\u202e").touch()
    for names in (["inside/b"], ["inside/b", "inside/a"]):
        local = readers.files_bytes([str(tmp_path / name) for name in names])
        assert left.files_bytes([f"/scratch/{name}" for name in names]) == local
    local = readers.file_bytes(str(inside / "b"), 300)
    assert left.file_bytes("/scratch/inside/b", 300) == local
    for name in (".", "inside"):
        assert left.names_in(f"/scratch/{name}") == readers.names_in(str(tmp_path / name))


def test_readers_are_some_of_the_assignments():
    for name in PARSE_NOTHING:
        assert readers.find(name)
        assert getattr(LeftFiles, name)


def test_what_is_no_file_fails_the_submission(left, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert error_of(left.file_bytes, "/scratch/missing") is FileNotFoundError
    assert error_of(left.file_bytes, "/scratch/folder") is IsADirectoryError
    assert error_of(left.files_bytes, ["/scratch/file", "/scratch/pipe"]) is OSError
    assert error_of(left.names_in, "/scratch/file") is NotADirectoryError
    assert error_of(left.names_in, "/scratch/missing") is FileNotFoundError
    assert error_of(left.file_bytes, "/scratch/file/below") is NotADirectoryError


def test_no_link_is_followed(left, tmp_path):
    outside = tmp_path.parent / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(outside / "file")
    (tmp_path / "folder").symlink_to(outside)
    assert error_of(left.file_bytes, "/scratch/link") is OSError
    assert error_of(left.file_bytes, "/scratch/folder/file") is NotADirectoryError
    assert error_of(left.names_in, "/scratch/folder") is OSError


def test_owner_must_have_the_right_to_read(left, tmp_path):
    """Root reads without it, and the judge is root in some tiers only"""
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.touch()
    folder.mkdir()
    (folder / "file").touch()
    file.chmod(0o277)
    folder.chmod(0o677)
    assert error_of(left.file_bytes, "/scratch/file") is PermissionError
    assert error_of(left.file_bytes, "/scratch/folder/file") is PermissionError
    folder.chmod(0o377)
    assert error_of(left.names_in, "/scratch/folder") is PermissionError
    folder.chmod(0o700)


def test_what_the_owner_may_read_and_the_judge_may_not_is_a_fault(left, tmp_path, monkeypatch):
    """A machine may have taken root's right from it"""

    def refuse(path, *args, **kwargs):
        raise PermissionError(errno.EACCES, "refused", path)

    for mode, kind in ((0o600, PermissionError), (0o200, None)):
        (tmp_path / "file").touch()
        (tmp_path / "file").chmod(mode)
        with monkeypatch.context() as refusing:
            refusing.setattr(os, "open", refuse)
            with pytest.raises(PermissionError) as failed:
                left.file_bytes("/scratch/file")
        assert isinstance(failed.value, FromSubmission) is (kind is None)


def test_file_of_another_user_is_not_read(left, tmp_path):
    """No worker can make one"""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    (tmp_path / "file").touch()
    os.chown(tmp_path / "file", 12345, -1)
    assert error_of(left.file_bytes, "/scratch/file") is PermissionError


def test_more_than_a_worker_may_send_fails_the_submission(left, tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "DEFAULT_CAPS", frames.Caps(size=1000, items=3))
    for i in range(4):
        (tmp_path / str(i)).write_bytes(bytes(300))
    names = [f"/scratch/{i}" for i in range(4)]
    assert len(left.files_bytes(names[:3])) == 3
    for reader, argument in ((left.files_bytes, names), (left.names_in, "/scratch")):
        with pytest.raises(Exception, match="more") as failed:
            reader(argument)
        assert cause_of(failed.value, requests=1) is Cause.TOO_LARGE


def test_name_that_is_no_text_fails_the_submission(left, tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")).touch()
    with pytest.raises(Exception, match="UTF-8") as failed:
        left.names_in("/scratch")
    assert cause_of(failed.value, requests=1) is Cause.NOT_PLAIN_DATA


@pytest.mark.parametrize("path", ["/etc/passwd", "/scratchy", "/scratch/../etc", "relative"])
def test_path_elsewhere_is_a_fault_of_the_test(left, path):
    with pytest.raises(GraderFault, match="not below /scratch"):
        left.file_bytes(path)


def test_folder_that_is_forgotten_is_closed(tmp_path):
    """An exception may come before anybody has taken it out of the zygote's reply"""
    number = os.open(tmp_path, os.O_PATH)
    folder = Folder(number)
    del folder
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_nothing_is_read_once_the_tests_time_is_used_up(sandboxed, monkeypatch):
    impl = sandboxed(toy="def f():\n    return 1\n")
    folder = str(impl.scratch)
    assert impl.readers.names_in(folder) == []
    monkeypatch.setattr(impl, "_seconds_left", lambda: 0.0)
    with pytest.raises(Exception, match="used up") as failed:
        impl.readers.names_in(folder)
    assert cause_of(failed.value, requests=1) is Cause.TIMEOUT
