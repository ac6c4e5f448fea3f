"""A process is killed just before a change to files that the test has chosen."""

import pytest

from assignment.manifest import Limits
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.supervisor import left_files, watching

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


def removes_old(folder):
    os.unlink(folder + "/old")


def writes_in_place(folder):
    with open(folder + "/old", "r+b", buffering=0) as file:
        for letter in b"new":
            file.write(bytes([letter]))


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


@pytest.fixture
def local(in_this_process):
    """The functions above in a run without workers."""
    return in_this_process(files=CODE)


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
    monkeypatch.setattr(watching, "MAX_CHANGES", 50)
    impl = sandboxed(files=CODE, limits=PATIENT)
    folder = str(impl.scratch)
    impl.readers.write_files({f"{folder}/old": b"old"})
    with pytest.raises(SubmissionFailure, match="more than 50 changes") as failure:
        impl.kill_during("files.for_ever", folder)
    assert failure.value.cause is Cause.DISK


MOMENTS_OF_OLD = {
    "opens_writes_renames": [b"old"] * 3 + [b"new"],  # the last is the answer itself
    "truncates": [b"old", b"o"],
    "only_reads": [b"old"],
    "removes_old": [b"old", None],
    "writes_in_place": [b"old", b"old", b"nld", b"ned", b"new"],
}


@pytest.mark.parametrize("name", MOMENTS_OF_OLD)
def test_file_is_seen_before_each_change(sandboxed, name):
    impl = sandboxed(files=CODE, limits=PATIENT)
    folder, seen = str(impl.scratch), []
    impl.readers.write_files({f"{folder}/old": b"old"})
    impl.watch_file(f"{folder}/old", seen.append, f"files.{name}", folder)
    assert [file and file.content for file in seen] == MOMENTS_OF_OLD[name]
    inodes = {file.inode for file in seen if file}
    assert len(inodes) == (2 if name == "opens_writes_renames" else 1)


def test_too_many_bytes_to_see_end_the_test(sandboxed, monkeypatch):
    monkeypatch.setattr(left_files, "_MOST_SEEN", 50)
    impl = sandboxed(files=CODE, limits=PATIENT)
    folder, seen = str(impl.scratch), []
    impl.readers.write_files({f"{folder}/old": b"old" * 10})
    with pytest.raises(SubmissionFailure, match="more changes to files") as failure:
        impl.watch_file(f"{folder}/old", seen.append, "files.writes_many", folder)
    assert failure.value.cause is Cause.DISK
    assert [len(file.content) for file in seen] == [30]


def test_what_a_test_says_about_a_moment_ends_the_call(sandboxed):
    impl = sandboxed(files=CODE, limits=PATIENT)

    def see(file):
        raise AssertionError("not as it should be")

    with pytest.raises(AssertionError, match="not as it should be"):
        impl.watch_file(f"{impl.scratch}/old", see, "files.begins", str(impl.scratch))
    assert impl.readers.names_in(str(impl.scratch)) == []


def test_a_local_run_shows_a_file_before_what_python_announces(local):
    scratch = local.scratch
    (scratch / "old").write_bytes(b"old")
    seen = []
    local.watch_file(f"{scratch}/old", seen.append, "files.opens_writes_renames", str(scratch))
    local.watch_file(f"{scratch}/old", seen.append, "files.removes", f"{scratch}/old")
    local.watch_file(f"{scratch}/old", seen.append, "files.begins", str(scratch))
    assert [file and file.content for file in seen] == [b"old", b"old", b"new", None]


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("opens_writes_renames", [OLD, OLD | {"new": b"new"}]),
        ("makes_and_removes_folders", [OLD, OLD | {"new": None}]),
        ("truncates", [OLD]),
    ],
)
def test_a_local_run_is_killed_before_what_python_announces(local, name, left):
    scratch = local.scratch
    for change, expected in enumerate(left, 1):
        for path in scratch.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
        (scratch / "old").write_bytes(b"old")
        local.kill_at_change(change)
        assert local.kill_during(f"files.{name}", str(scratch))
        found = {p.name: None if p.is_dir() else p.read_bytes() for p in scratch.iterdir()}
        assert found == expected
    assert not local.kill_during("files.only_reads", str(scratch))
