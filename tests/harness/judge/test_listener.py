"""A process is killed just before a change to files that the test has chosen."""

import secrets

import pytest

from assignment.implementation import LocalImplementation
from assignment.manifest import Limits
from grader.judge import listener
from grader.judge.failure import SubmissionFailure
from grader.results.causes import Cause

PATIENT = Limits(seconds=60.0, memory_mib=512)
# Each function makes the changes of its name, in order. A file `old` with the text "old" is there.
CODE = """
import ctypes
import os
import shutil
import threading
from pathlib import Path


def begins(folder, starts=None):
    if starts:
        starts()
    Path(folder, "new").touch()


def opens_writes_renames(folder):
    with open(folder + "/new", "wb", buffering=0) as file:
        file.write(b"new")
    os.replace(folder + "/new", folder + "/old")


def writes_many(folder):
    with open(folder + "/new", "wb", buffering=0) as file:
        for i in range(50):
            file.write(b"%d" % (i % 10))
    os.unlink(folder + "/old")


def copies(folder):
    shutil.copyfile(folder + "/old", folder + "/new")


def makes_and_removes_folders(folder):
    os.mkdir(folder + "/new")
    os.rmdir(folder + "/new")


def truncates(folder):
    os.truncate(folder + "/old", 1)


def syncs(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    Path(folder, "new").touch()


def removes(path):
    shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def only_reads(folder):
    os.listdir(folder)
    with open(folder + "/old", "rb") as file:
        return file.read() + Path(folder, "old").read_bytes()


def by_number(folder):
    libc = ctypes.CDLL(None)
    libc.syscall(82, folder.encode() + b"/old", folder.encode() + b"/new")


def in_a_thread(folder):
    thread = threading.Thread(target=begins, args=(folder,))
    thread.start()
    thread.join()


def for_ever(folder):
    while True:
        os.truncate(folder + "/old", 1)
"""


@pytest.fixture
def killed(sandboxed):
    """Kills a function above before a change; the names and contents that are left."""
    impl = sandboxed(files=CODE, limits=PATIENT)
    folder = str(impl.scratch)

    def kill(name, change, *args):
        for left in impl.readers.names_in(folder):
            impl.files.removes(f"{folder}/{left}")
        impl.readers.write_files({f"{folder}/old": b"old"})
        impl.kill_at_change(change)
        if not impl.kill_during(f"files.{name}", folder, *args):
            return None
        return {n: _content(impl, f"{folder}/{n}") for n in impl.readers.names_in(folder)}

    return kill


def _content(impl, path):
    try:
        return impl.readers.file_bytes(path)
    except OSError:
        return None  # a folder


OLD, DIGITS = {"old": b"old"}, b"0123456789" * 5
MOMENTS = {
    "opens_writes_renames": [OLD, OLD | {"new": b""}, OLD | {"new": b"new"}],
    "writes_many": [OLD, *(OLD | {"new": DIGITS[:n]} for n in (0, 1, 3, 7, 15, 31, 50))],
    "copies": [OLD, OLD | {"new": b""}],
    "makes_and_removes_folders": [OLD, OLD | {"new": None}],
    "truncates": [OLD],
    "syncs": [OLD, OLD],
    "by_number": [OLD],
    "in_a_thread": [OLD],
}


@pytest.mark.parametrize("name", MOMENTS)
def test_process_is_killed_before_each_change(killed, name):
    for change, left in enumerate(MOMENTS[name], 1):
        assert killed(name, change) == left


def test_what_reads_is_no_change(killed):
    assert killed("only_reads", 2) is None  # the answer itself is the first


def test_changes_count_from_the_moment_when_a_function_asks(sandboxed):
    impl = sandboxed(files=CODE, limits=PATIENT)
    folder = str(impl.scratch)
    assert impl.kill_during("files.begins", folder, lambda: impl.kill_at_change(1))
    assert impl.readers.names_in(folder) == []
    # The next call is not killed, whatever came before.
    assert not impl.kill_during("files.begins", folder)
    assert impl.readers.names_in(folder) == ["new"]


def test_too_many_changes_end_the_test(sandboxed, monkeypatch):
    monkeypatch.setattr(listener, "MAX_CHANGES", 50)
    impl = sandboxed(files=CODE, limits=PATIENT)
    folder = str(impl.scratch)
    impl.readers.write_files({f"{folder}/old": b"old"})
    with pytest.raises(SubmissionFailure, match="more than 50 changes") as failure:
        impl.kill_during("files.for_ever", folder)
    assert failure.value.cause is Cause.DISK


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("opens_writes_renames", [OLD, OLD | {"new": b"new"}]),
        ("makes_and_removes_folders", [OLD, OLD | {"new": None}]),
        ("truncates", [OLD]),
    ],
)
def test_a_local_run_is_killed_before_what_python_announces(tmp_path, monkeypatch, name, left):
    package = f"local_{secrets.token_hex(4)}"
    folder, scratch = tmp_path / package, tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    (folder / "files.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    impl = LocalImplementation(package, scratch)
    for change, expected in enumerate(left, 1):
        for path in scratch.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
        (scratch / "old").write_bytes(b"old")
        impl.kill_at_change(change)
        assert impl.kill_during(f"files.{name}", str(scratch))
        found = {p.name: None if p.is_dir() else p.read_bytes() for p in scratch.iterdir()}
        assert found == expected
    assert not impl.kill_during("files.only_reads", str(scratch))
