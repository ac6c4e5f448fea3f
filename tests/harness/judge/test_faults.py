"""Grader faults: whatever process is killed, no mark is wrong, no file is partial, nothing is left.

Processes are killed at a few random moments; the campaign `faults` tries many more.
"""

import errno
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from grader import folders
from grader.faults import GraderFault
from grader.judge.implementation import GradedImplementation
from grader.sandbox.cgroups import ControlGroup
from grader.sandbox.sandbox import Sandbox
from grader.supervisor import control, worker
from grader.supervisor.meter import Meter, WallTimer
from grader.wire import messages
from grader.worker.zygote import Zygote
from tests.harness.conftest import (
    MAX_WAIT,
    REPOSITORY,
    keep_tests,
    long_unless,
    new_quick_grader,
    wait_until,
)
from tests.harness.container import FOR_TESTS, copy_of_repository
from tests.harness.processes import (
    assert_none_but,
    children,
    command,
    descendants,
    reaper,
    serving_zygote,
    status,
)

__all__ = ["reaper"]  # a fixture of this module, too

VICTIMS = ("worker", "zygote", "second zygote", "second lane")
TRIES = range(int(os.environ.get("FAULTS", "1")))


@pytest.fixture(scope="module")
def small_repository(tmp_path_factory) -> Path:
    """A copy of the repository with one chapter, which is graded in seconds."""
    folder = tmp_path_factory.mktemp("small")
    copy_of_repository(folder, *FOR_TESTS)
    keep_tests(folder, ["strides"])
    return folder


class GradingProcess:
    """A `grader grade` of the reference, in the background."""

    def __init__(self, repository: Path, place: Path) -> None:
        self.out, self.temporary = place / "out", place / "temporary"
        self.temporary.mkdir()
        self._before = descendants(os.getpid())
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "grader", "grade", str(repository / "solutions")),
                *("--out", str(self.out)),
            ],
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(repository), "TMPDIR": str(self.temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_any_moment(self, least: float = 0.0) -> None:
        """Waits for a part of the time that it takes, at random from `least` to 1 or a little more.

        It starts its zygote after a twelfth of that.
        """
        begun = time.monotonic()
        wait_until(lambda: bool(children(self.process.pid)) or self.has_ended())
        time.sleep(random.uniform(least, 1.0) * 12 * (time.monotonic() - begun))

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> int:
        """Waits for the end; returns the exit status."""
        self.errors = self.process.communicate(timeout=MAX_WAIT)[1]
        return self.process.returncode

    def assert_nothing_left(self) -> None:
        """Asserts that no process is left, and no file but the results."""
        assert_none_but(self._before, self.process.pid)
        assert list(self.temporary.iterdir()) == []

    def assert_mark_is_right(self) -> None:
        """Asserts that all files are complete, and that there are full marks or no mark."""
        status = self.process.returncode
        assert status in (0, 3), self.errors
        if not (self.out / "grade.json").exists():
            assert status == 3
            assert not (self.out / "results.json").exists()
            return
        grade = json.loads((self.out / "grade.json").read_text())
        ET.parse(self.out / "junit.xml")
        assert "failed" not in {check["state"] for check in grade["checks"]}
        if status == 3:
            assert grade["score"] is None
            assert grade["faults"]
            assert not (self.out / "results.json").exists()
        else:
            assert grade["score"] == grade["max_score"] > 0
            assert json.loads((self.out / "results.json").read_text())["score"] == grade["score"]


@pytest.mark.parametrize("attempt", TRIES)
@pytest.mark.parametrize("victim", long_unless(VICTIMS, "zygote"))
def test_killed_process_leaves_the_mark_right_or_missing(
    small_repository, tmp_path, victim, attempt
):
    grading = GradingProcess(small_repository, tmp_path)
    # Any moment will do, also one after the end: what was killed then is nothing.
    grading.wait_for_any_moment(0.4)
    found: list[int] = []
    wait_until(
        lambda: (
            found.extend(processes_by_kind(grading.process.pid)[victim])
            or bool(found)
            or grading.has_ended()
        )
    )
    for pid in found[-1:]:
        with suppress(ProcessLookupError):  # it has ended since
            os.kill(pid, signal.SIGKILL)
    status = grading.end()
    grading.assert_mark_is_right()
    grading.assert_nothing_left()
    if victim == "worker" and found:
        assert status == 0, grading.errors


@pytest.mark.parametrize("attempt", TRIES)
def test_killed_judge_leaves_nothing(small_repository, tmp_path, attempt):
    grading = GradingProcess(small_repository, tmp_path)
    grading.wait_for_any_moment()
    grading.process.send_signal(random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    status = grading.end()
    grading.assert_nothing_left()
    if status == 0:  # it was done before
        grading.assert_mark_is_right()
    names = {file.name for file in grading.out.iterdir()} if grading.out.exists() else set()
    assert names <= {"report.html", "junit.xml", "results.json", "grade.json"}
    for name in names & {"results.json", "grade.json"}:
        found = json.loads((grading.out / name).read_text())
        assert found["score"] == found.get("max_score", found["score"]) > 0


def test_slow_zygote_costs_the_student_nothing(quick_grader, monkeypatch):
    """Each reply takes an hour; neither a worker's lockdown nor a test is charged for it"""
    waited = []
    read = control.Control.read_reply

    def read_slowly(self: control.Control) -> None:
        read(self)
        waited.append(3600)

    def clock() -> float:
        return time.monotonic() + sum(waited)

    monkeypatch.setattr(control.Control, "read_reply", read_slowly)
    monkeypatch.setattr(worker, "WallTimer", partial(WallTimer, now=clock))
    monkeypatch.setattr(worker, "Meter", partial(Meter, now=clock))
    grade = quick_grader.grade(REPOSITORY / "solutions", only=["storage_index"])
    assert grade.faults == ()
    assert grade.score == grade.max_score > 0
    assert waited


def test_stopped_zygote_is_waited_for_once(tmp_path, monkeypatch):
    """It may wait for a busy disk"""
    with new_quick_grader(tmp_path / "repository") as grader:
        assert grader.grade(REPOSITORY / "solutions", only=["storage_index"]).faults == ()
        os.kill(serving_zygote(grader), signal.SIGSTOP)
        monkeypatch.setattr(control, "_REPLY_SECONDS", 0.5)
        for words in ("does not answer", "cannot be reached"):
            with pytest.raises(GraderFault, match=words):
                grader.grade(REPOSITORY / "solutions", only=["storage_index"])
        os.kill(serving_zygote(grader), signal.SIGCONT)  # or its end is waited for in vain


def test_zygote_that_cannot_fork_a_second_one_reports_it_and_goes_on(tmp_path, monkeypatch):
    def fail_to_fork() -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", fail_to_fork)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    second, unused = socket.socketpair()
    with ours, theirs, second, unused:
        sandbox = cast(Sandbox, SimpleNamespace(before_zygote_fork=lambda: None))
        zygote = Zygote(theirs, sandbox, cast(ControlGroup, None))
        zygote.fork_zygote(os.dup(second.fileno()))
        reply, _ = messages.receive(ours)
        assert isinstance(reply, messages.Failed)
        assert "cannot fork a second zygote" in reply.reason
        second.close()
        assert unused.recv(1) == b""  # the second zygote's socket is closed


def test_folder_of_any_depth_is_removed(tmp_path):
    """The judge removes a killed zygote's folder, with all files of its workers"""
    script = "import os\nfor _ in range(5000):\n    os.mkdir('d')\n    os.chdir('d')\n"
    (deep := tmp_path / "deep").mkdir()
    subprocess.run([sys.executable, "-c", script], cwd=deep, check=True)
    folders.remove_while_written(deep)
    assert not deep.exists()


def test_worker_that_another_process_kills_once_costs_nothing(quick_grader, monkeypatch):
    call, killed = GradedImplementation.call, list[int]()

    def kill_once(self: GradedImplementation, target: str, /, *args: Any, **kwargs: Any) -> Any:
        if not killed:
            killed.append(self._running().process.pid)
            os.kill(killed[0], signal.SIGKILL)
        return call(self, target, *args, **kwargs)

    monkeypatch.setattr(GradedImplementation, "call", kill_once)
    grade = quick_grader.grade(REPOSITORY / "solutions", only=["storage_index"])
    assert killed
    assert grade.faults == ()
    assert {check.state for check in grade.checks} == {"passed"}


def test_submission_that_kills_itself_is_charged(quick_grader, submit):
    """The judge cannot tell who sent the signal, so it retries the test once"""
    text = "import os\n\n\ndef storage_index(*_):\n    os.kill(os.getpid(), 9)\n    return 0\n"
    grade = quick_grader.grade(submit(strides=text), only=["storage_index"])
    assert grade.faults == ()
    assert grade.score == 0


def processes_by_kind(judge: int) -> dict[str, list[int]]:
    """The processes of a grading by kind, which follows from their parents."""
    found: dict[str, list[int]] = {kind: [] for kind in VICTIMS}
    for child in children(judge):
        if "zygote" not in command(child):
            found["second lane"].append(child)
            continue
        found["zygote"].append(child)
        for pid in children(child):
            if status(pid).get("Seccomp") == "2":
                found["worker"].append(pid)
            elif children(pid):
                found["second zygote"].append(pid)
                found["worker"] += [p for p in children(pid) if status(p).get("Seccomp") == "2"]
    return found
