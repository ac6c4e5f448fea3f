"""Memory and disk that a submission takes in short calls are noticed."""

import functools
import itertools
import mmap
import os
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import torch

from assignment import manifest
from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.supervisor import meter, worker
from grader.supervisor.process import Process


def cause_of_repeated_calls(function, times, pause=0.0):
    """Calls a worker's function repeatedly; the cause of the failure, or None."""
    try:
        for _ in range(times):
            function()
            time.sleep(pause)
    except SubmissionFailure as failure:
        return failure.cause
    return None


def test_memory_taken_in_short_calls_is_noticed(sandboxed, quick_grader):
    """Of a kind that no rlimit counts, in calls shorter than the watch's interval."""
    text = """
import mmap
kept = []
def take():
    kept.append(mmap.mmap(-1, 2**32, 0x4022, mmap.PROT_READ))  # MAP_NORESERVE among the flags
    sum(kept[-1][:: 2**21])  # 8 MiB of page tables
"""
    usual = quick_grader.manifest.limits
    limits = msgspec.structs.replace(usual, address_space=False, memory_mib=128, seconds=60.0)
    submission = sandboxed(probe=text, limits=limits)
    assert cause_of_repeated_calls(submission.probe.take, 100) is Cause.MEMORY  # 800 MiB of 128


def test_disk_taken_in_short_calls_is_noticed(sandboxed, quick_grader, monkeypatch, tmp_path):
    """Where the worker has no disk of its own."""
    sizes = itertools.count(100 * 2**20, 100 * 2**20)
    monkeypatch.setattr(quick_grader.zygote, "unbounded_folders", lambda _: (tmp_path,))
    monkeypatch.setattr(meter, "disk_usage", lambda *_: (next(sizes), 1))
    submission = sandboxed(probe="def nothing():\n    return 1")
    pause = meter._CHECK_SECONDS
    assert cause_of_repeated_calls(submission.probe.nothing, 10, pause) is Cause.DISK


def test_a_file_that_goes_away_during_a_scan_hides_no_other(monkeypatch, tmp_path):
    """A worker may remove files all the time"""
    (tmp_path / "kept").write_bytes(b"x" * 2**20)

    def refuse(**_):
        raise FileNotFoundError

    gone = SimpleNamespace(stat=refuse, is_dir=lambda **_: False)
    scandir = os.scandir
    monkeypatch.setattr(meter.os, "scandir", lambda folder: nullcontext([gone, *scandir(folder)]))
    assert meter.disk_usage(tmp_path) == (2**20, 2)


def test_files_below_a_path_of_any_length_count(tmp_path):
    here = os.open(".", os.O_DIRECTORY)
    try:
        os.chdir(tmp_path)
        for _ in range(20):
            Path("d" * 255).mkdir()
            os.chdir("d" * 255)
        Path("file").write_bytes(b"x" * 2**20)
    finally:
        os.chdir(here)
        os.close(here)
    size, files = meter.disk_usage(tmp_path)
    assert (size >= 2**20, files) == (True, 21)


def test_a_folder_that_the_judge_may_not_list_counts_as_too_many_files(monkeypatch, tmp_path):
    (tmp_path / "closed").mkdir()
    opened = os.open

    def refuse(path, *args, **options):
        if path == "closed":
            raise PermissionError
        return opened(path, *args, **options)

    monkeypatch.setattr(meter.os, "open", refuse)
    assert meter.disk_usage(tmp_path)[1] > meter.DISK_FILES


def test_files_without_a_name_are_measured_while_room_is_missing(monkeypatch, tmp_path):
    """Room that others take makes no verdict, only a measurement"""
    room, hidden, measured = [2**40], [0], []
    monkeypatch.setattr(meter, "_free_bytes", lambda _: room[0])
    process = SimpleNamespace(resident=lambda with_files: 1)

    def measure():
        measured.append(room[0])
        return hidden[0]

    checker = meter.LimitChecker(process, manifest.load().limits, (tmp_path,), measure)
    checker.check()
    room[0] += 2**40  # what an ended worker held has become free
    checker.check()
    assert not measured
    room[0] -= 2**39
    checker.check()
    assert len(measured) == 1
    hidden[0] = (meter.DISK_MIB + 1) * 2**20
    with pytest.raises(SubmissionFailure) as failure:
        checker.check()
    assert failure.value.cause is Cause.DISK


LEAVES_NO_ROOM = """
import torch

KEPT = []


def f():
    answer, size = torch.zeros(2**22), 2**26
    while size > 2**21:
        try:
            KEPT.append(torch.empty(size, dtype=torch.uint8))  # takes addresses, and no memory
        except RuntimeError:
            size //= 2
    return answer
"""


def test_no_room_for_a_copy_of_the_answer_is_a_lack_of_memory(sandboxed):
    (found,) = sandboxed(probe=LEAVES_NO_ROOM).call_all([("probe.f", (), {})])
    assert found.error.cause is Cause.MEMORY


ON_A_FULL_DISK = """
import os


def writes():
    raise OSError(28, "No space left on device")


def refuses():
    raise ValueError("no")


def dies():
    os.abort()
"""


def test_failure_on_a_full_disk_is_no_zero(sandboxed, quick_grader, monkeypatch, tmp_path):
    """Where the worker has no disk of its own; a refusal needs no disk"""
    monkeypatch.setattr(quick_grader.zygote, "unbounded_folders", lambda _: (tmp_path,))
    for least in ("_LEAST_ROOM", "_LEAST_FILES"):
        submission = sandboxed(probe=ON_A_FULL_DISK)
        with pytest.raises(OSError, match="No space left"):
            submission.probe.writes()
        with monkeypatch.context() as full:
            full.setattr(meter, least, 2**60)
            together = functools.partial(submission.call_all, [("probe.writes", (), {})])
            for function in (submission.probe.writes, together, submission.probe.dies):
                with pytest.raises(GraderFault, match="disk of the temporary folder is full"):
                    function()
            with pytest.raises(ValueError, match="no"):
                submission.probe.refuses()
            missing = str(submission.scratch / "missing")
            with pytest.raises(GraderFault, match="disk of the temporary folder is full"):
                submission.readers.file_bytes(missing)
        with pytest.raises(FileNotFoundError):
            submission.readers.file_bytes(missing)


def test_death_on_a_full_disk_is_no_zero_although_its_files_go(
    sandboxed, quick_grader, monkeypatch
):
    """A store to a mapped file fails so: the file goes with the worker, and makes room"""
    submission = sandboxed(probe=ON_A_FULL_DISK)
    process = submission._running().process
    with monkeypatch.context() as full:
        full.setattr(meter.LimitChecker, "is_disk_full", lambda _: not process.is_killed)
        with pytest.raises(GraderFault, match="disk of the temporary folder is full"):
            submission.probe.dies()


def test_pinned_memory_counts_for_workers_that_see_a_device(sandboxed, quick_grader, monkeypatch):
    counts = []

    class Noted(meter.LimitChecker):
        def __init__(self, *args):
            super().__init__(*args)
            counts.append(self._uses_device)

    monkeypatch.setattr(worker, "LimitChecker", Noted)
    for sees_a_device in (False, True):
        monkeypatch.setattr(quick_grader.zygote, "has_device", sees_a_device)
        sandboxed(probe="def nothing():\n    return 1").probe.nothing()
        assert counts[-1] == sees_a_device


def test_memory_that_a_driver_pinned_counts_where_there_is_a_device():
    """The kernel shows it as a mapped file; elsewhere a mapped file is free"""
    own = manifest.load().limits
    resident = {False: 2**30, True: 2**30}
    process = SimpleNamespace(resident=lambda with_files: resident[with_files])
    checkers = [meter.LimitChecker(process, own, uses_device=uses) for uses in (False, True)]
    resident[True] += (own.memory_mib + 1) * 2**20
    checkers[0].check()
    with pytest.raises(SubmissionFailure) as failure:
        checkers[1].check()
    assert failure.value.cause is Cause.MEMORY
    # A file of a temporary folder may be memory itself.
    large = max(
        Path(torch.__file__).with_name("lib").iterdir(), key=lambda path: path.stat().st_size
    )
    me = Process(os.getpid())
    before = [me.resident(with_files) for with_files in (False, True)]
    with large.open("rb") as file, mmap.mmap(file.fileno(), 2**26, prot=mmap.PROT_READ) as mapped:
        assert sum(mapped[i] for i in range(0, 2**26, 4096)) > 0
        private, all_of_it = (me.resident(with_files) for with_files in (False, True))
    assert all_of_it - before[1] > 2**25
    assert private - before[0] < 2**25
