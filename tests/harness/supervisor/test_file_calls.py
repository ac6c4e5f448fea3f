"""What the judge sees of a worker's syncs and renames, and that the worker cannot make it up."""

import os
import signal

import pytest

from assignment.calls.file_calls import Call, File, events
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.supervisor.meter import WallTimer
from grader.supervisor.watching import MAX_CALLS
from grader.wire import arguments
from tests.harness.conftest import MAX_WAIT, wait_until

REPLACES = [("sync", "new"), ("rename", "new.tmp", "new"), ("sync folder", ".")]
CODE = """
import os
import shutil
import tempfile
import threading
from os import fdatasync, replace
from pathlib import Path


def replaces(folder):
    with open(folder + "/new.tmp", "wb") as file:
        file.write(b"text")
        file.flush()
        os.fsync(file)
    os.replace(folder + "/new.tmp", folder + "/new")
    sync(folder)
    return "done"


def by_other_names(folder):
    path = Path(folder, "new.tmp")
    path.write_bytes(b"text")
    descriptor = os.open(path, os.O_RDONLY)
    fdatasync(descriptor)
    os.close(descriptor)
    replace(path, path.with_name("new"))
    fdatasync(folder := os.open(folder, os.O_RDONLY))
    os.close(folder)
    return "done"


def by_descriptor_of_the_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    path = Path(folder, "new.tmp")
    path.write_bytes(b"text")
    with path.open("rb") as file:
        os.fsync(file.fileno())
    os.rename("new.tmp", "new", src_dir_fd=descriptor, dst_dir_fd=descriptor)
    os.fsync(descriptor)
    os.close(descriptor)
    return "done"


def in_a_thread(folder):
    thread = threading.Thread(target=replaces, args=(folder,))
    thread.start()
    thread.join()
    return "done"


def moves(folder):
    path = Path(folder, "new.tmp")
    with path.open("wb", buffering=0) as file:
        file.write(b"text")
        os.fsync(file)
    shutil.move(path, Path(folder, "new"))
    sync(folder)
    return "done"


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def too_early(folder):
    with open(folder + "/new.tmp", "wb") as file:
        file.write(b"text")
        os.fsync(file)
    os.replace(folder + "/new.tmp", folder + "/new")


def another_file(folder):
    for name in ("new.tmp", "other"):
        Path(folder, name).write_bytes(b"text")
    sync(folder + "/other")
    os.replace(folder + "/new.tmp", folder + "/new")
    os.unlink(folder + "/other")


def there_and_back(folder):
    Path(folder, "new").write_bytes(b"text")
    os.rename(folder + "/new", folder + "/new.tmp")
    sync(folder + "/new.tmp")
    os.rename(folder + "/new.tmp", folder + "/new")


def fails(folder):
    Path(folder, "new").write_bytes(b"text")
    for descriptor in (77, 2**31 - 1):
        try:
            os.fsync(descriptor)
        except OSError:
            pass
    try:
        os.rename(folder + "/none", folder + "/new")
    except OSError:
        pass


def same_inode_again(folder):
    path = Path(folder, "new.tmp")
    path.write_bytes(b"text")
    sync(path)
    path.unlink()
    Path(folder, "new").write_bytes(b"text")


def forges(folder):
    Path(folder, "new").write_bytes(b"text")
    made_up = [("sync", "new"), ("rename", "new.tmp", "new"), ("sync folder", ".")]
    import gc
    import types
    for module in [m for m in gc.get_objects() if isinstance(m, types.ModuleType)]:
        if module.__name__.startswith(("grader", "assignment")) or module is os:
            for name in ("events", "noted", "names_in", "look", "fsync", "rename", "replace"):
                setattr(module, name, lambda *_, **__: made_up)
    return made_up


def many(folder, count):
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(count):
        os.fsync(descriptor)


def many_files(folder):
    for i in range(300):
        Path(folder, f"{i}").touch()
    sync(folder)


def odd_files(folder):
    for i in range(1, 28):
        open(os.fsencode(folder) + b"/" + bytes([i]) * 200 + b"\\xff", "w").close()
    os.mkdir(folder + "/closed", 0)
    sync(folder)


def ends(folder):
    descriptor = os.open(folder, os.O_RDONLY)

    def syncs():
        while True:
            os.fsync(descriptor)

    for _ in range(4):
        threading.Thread(target=syncs, daemon=True).start()
    os._exit(3)


def takes_a_listener(folder):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(317, 1, 8, ctypes.create_string_buffer(16))
    kinds = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            kinds.add(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            pass
    return [ctypes.get_errno(), sorted(kind for kind in kinds if "seccomp" in kind)]
"""


@pytest.fixture
def watched(sandboxed):
    """Calls one of the functions above in a watched worker."""
    impl = sandboxed(files=CODE)
    return lambda name, *args: impl.file_calls(f"files.{name}", str(impl.scratch), *args)


HONEST = ("replaces", "by_other_names", "by_descriptor_of_the_folder", "in_a_thread", "moves")


@pytest.mark.parametrize("name", HONEST)
def test_every_way_to_replace_a_file_is_seen(watched, name):
    assert watched(name) == ("done", REPLACES)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("too_early", [("sync too early", "new"), ("rename", "new.tmp", "new")]),
        ("another_file", [("rename", "new.tmp", "new")]),
        (
            "there_and_back",
            [("rename", "new", "new.tmp"), ("sync", "new"), ("rename", "new.tmp", "new")],
        ),
        ("fails", []),
        ("same_inode_again", []),
    ],
)
def test_what_replaces_no_file_is_seen_as_what_it_is(watched, name, expected):
    assert watched(name) == (None, expected)


def test_a_hard_link_is_no_renaming():
    file = File(device=1, inode=2, size=4, is_folder=False, digest="of the text")
    end = {"new.tmp": file, "new": file}
    assert events([Call({"new.tmp": file}, file)], end) == [("sync", "new")]


def test_events_cannot_be_made_up(watched):
    result, seen = watched("forges")
    assert [tuple(event) for event in result] == REPLACES
    assert seen == []


@pytest.mark.parametrize("name", [*HONEST, "too_early", "another_file", "there_and_back"])
def test_a_local_run_sees_the_same(watched, in_this_process, name):
    local, before = in_this_process(files=CODE), (os.fsync, os.replace, os.rename)
    assert local.file_calls(f"files.{name}", str(local.scratch)) == watched(name)
    assert (os.fsync, os.replace, os.rename) == before


def test_too_many_calls_or_files_end_the_test(sandboxed):
    for name, args in (("many", (MAX_CALLS + 1,)), ("many_files", ())):
        impl = sandboxed(files=CODE)
        with pytest.raises(SubmissionFailure) as failure:
            impl.file_calls(f"files.{name}", str(impl.scratch), *args)
        assert failure.value.cause == Cause.DISK


def test_as_many_calls_as_are_allowed_are_seen(watched):
    assert watched("many", MAX_CALLS) == (None, [("sync folder", ".")] * MAX_CALLS)


def test_odd_names_and_closed_folders_are_no_fault(watched):
    assert watched("odd_files") == (None, [("sync folder", ".")])


def test_worker_that_ends_in_a_call_has_ended_itself(sandboxed):
    impl = sandboxed(files=CODE)
    with pytest.raises(SubmissionFailure, match="exit code 3") as failure:
        impl.file_calls("files.ends", str(impl.scratch))
    assert failure.value.cause == Cause.DIED


def test_worker_has_no_listener_and_can_take_none(watched):
    assert watched("takes_a_listener") == ([1, []], [])


def test_worker_that_is_killed_while_it_waits_leaves_nothing(sandboxed):
    impl = sandboxed(files=CODE)
    impl._pool.zygote.wait()
    impl._folder = impl._pool.zygote.new_scratch()
    impl._worker = worker = impl._pool.start(impl._limits, 1, impl._folder, watch="syncs")
    listener = worker.process.listener
    request = {"call": "files.many", "args": (str(impl.scratch), 3), "kwargs": {}}
    worker.channel._write(arguments.encode(1, request), WallTimer(MAX_WAIT))
    assert wait_until(listener.is_waited_for)
    os.kill(worker.process.pid, signal.SIGKILL)
    impl.close()
    assert not listener.is_open
    impl._pool.zygote.drain()


def test_the_spare_worker_is_not_watched(sandboxed):
    impl = sandboxed(files=CODE)
    folder = str(impl.scratch)
    impl.file_calls("files.many", folder, 1)
    assert impl._pool._spare.process.listener is None
    impl.files.many(folder, 2 * MAX_CALLS)


def test_a_file_that_is_gone_at_the_end_is_left_out():
    folder, one, two = File(1, 1, 0, True), File(1, 2, 5, False, "1"), File(1, 3, 5, False, "2")
    calls = [
        Call({".": folder, "a": one, "b": two}, one),
        Call({".": folder, "a": one, "b": two}, two),
    ]
    assert events(calls, {".": folder, "b": two}) == [("sync", "b")]
    assert events([], {".": folder}) == []


def test_a_sync_counts_for_the_content_that_it_found():
    """A file may have all its bytes, and get others later; what nobody can read counts as that"""
    folder, early, late = File(1, 1, 0, True), File(1, 2, 5, False, "1"), File(1, 2, 5, False, "2")
    for synced, end in ((early, late), (early._replace(digest=""), late._replace(digest=""))):
        names = {".": folder, "a": synced}
        assert events([Call(names, synced)], {".": folder, "a": end}) == [("sync too early", "a")]
    assert events([Call({".": folder, "a": late}, late)], {".": folder, "a": late}) == [
        ("sync", "a")
    ]
