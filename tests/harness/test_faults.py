"""Faults of our own: whatever is killed, no mark is wrong, no file is half, nothing is left.

A few random points each time; `make faults` tries many more.
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
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from grader import folders
from grader.judge import worker, zygote
from grader.judge.failure import GraderFault
from grader.judge.meter import Meter, WallTimer
from grader.judge.session import Judge
from grader.worker.cgroups import ControlGroup
from grader.worker.sandbox import Sandbox
from grader.worker.zygote import Zygote
from tests.harness.conftest import LONGEST, REPOSITORY, cut_down, hurried_judge, wait_until
from tests.harness.container import copy_of_repository
from tests.harness.processes import children, command, descendants, reap_orphans, reaper, status

__all__ = ["reaper"]  # a fixture of this module, too

TRIES = range(int(os.environ.get("FAULTS", "1")))
CHAPTERS = ("strides", "named_axes")


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """The repository with two chapters of the assignment: its whole grading takes seconds."""
    folder = tmp_path_factory.mktemp("small")
    copy_of_repository(folder)
    file = folder / "assignment" / "assignment.toml"
    file.write_text(cut_down(file.read_text(), CHAPTERS))
    for test in folder.glob("tests/*/test_*.py"):
        if test.stem.removeprefix("test_") not in CHAPTERS:
            test.unlink()
    return folder


class Grading:
    """A `grader grade` of the reference that runs beside the test."""

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

    def end(self) -> int:
        """Waits for its end, and returns its exit status."""
        self.said = self.process.communicate(timeout=LONGEST)[1]
        return self.process.returncode

    def assert_nothing_left(self) -> None:
        """No process, no file but the results; a killed judge's zygote needs a moment for that."""

        def gone() -> bool:
            reap_orphans(self.process.pid)
            return descendants(os.getpid()) <= self._before

        assert wait_until(gone), descendants(os.getpid()) - self._before
        assert list(self.temporary.iterdir()) == []

    def assert_mark_is_right(self) -> None:
        """The files are whole; there is full marks, or no mark."""
        status = self.process.returncode
        assert status in (0, 3), self.said
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


@pytest.fixture(scope="module")
def seconds(small, tmp_path_factory) -> float:
    """How long a grading takes that nobody disturbs."""
    grading = Grading(small, tmp_path_factory.mktemp("undisturbed"))
    begun = time.monotonic()
    assert grading.end() == 0, grading.said
    took = time.monotonic() - begun
    grading.assert_mark_is_right()
    grading.assert_nothing_left()
    return took


@pytest.mark.parametrize("attempt", TRIES)
@pytest.mark.parametrize("victim", ["worker", "zygote", "twin", "second lane"])
def test_whoever_is_killed_the_mark_is_right_or_missing(small, seconds, tmp_path, victim, attempt):
    grading = Grading(small, tmp_path)
    time.sleep(random.uniform(0.4, 1.0) * seconds)
    found = wait_until(lambda: bool(of_kind(grading.process.pid)[victim]), seconds)
    for pid in of_kind(grading.process.pid)[victim][-1:]:
        os.kill(pid, signal.SIGKILL)
    status = grading.end()
    grading.assert_mark_is_right()
    grading.assert_nothing_left()
    if victim == "worker" and found:
        assert status == 0, grading.said


@pytest.mark.parametrize("attempt", TRIES)
def test_killed_judge_leaves_nothing(small, seconds, tmp_path, attempt):
    grading = Grading(small, tmp_path)
    time.sleep(random.uniform(0.2, 1.0) * seconds)
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


@pytest.fixture
def stopped(tmp_path) -> Iterator[Judge]:
    """A judge whose zygote stands still, as one that waits for a busy disk."""
    with hurried_judge(tmp_path / "repository") as judge:
        assert judge.grade(REPOSITORY / "solutions", only=["storage_index"]).faults == ()
        os.kill(serving(judge), signal.SIGSTOP)
        yield judge


def test_zygote_that_is_slow_costs_the_student_nothing(hurried, monkeypatch):
    """Each answer takes an hour: neither a worker's lockdown nor a test is charged for it"""
    waited = []
    read = zygote.Zygote._read_one

    def slowly(self: zygote.Zygote) -> None:
        read(self)
        waited.append(3600)

    def clock() -> float:
        return time.monotonic() + sum(waited)

    monkeypatch.setattr(zygote.Zygote, "_read_one", slowly)
    monkeypatch.setattr(worker, "WallTimer", partial(WallTimer, now=clock))
    monkeypatch.setattr(worker, "Meter", partial(Meter, now=clock))
    grade = hurried.grade(REPOSITORY / "solutions", only=["storage_index"])
    assert grade.faults == ()
    assert grade.score == grade.max_score > 0
    assert waited


def test_zygote_that_stands_still_is_waited_for_once(stopped, monkeypatch):
    monkeypatch.setattr(zygote, "_ANSWER_SECONDS", 0.5)
    with pytest.raises(GraderFault, match="does not answer"):
        stopped.grade(REPOSITORY / "solutions", only=["storage_index"])
    with pytest.raises(GraderFault, match="cannot be reached"):
        stopped.grade(REPOSITORY / "solutions", only=["storage_index"])


def test_zygote_that_cannot_fork_a_twin_goes_on_and_says_so(tmp_path, monkeypatch):
    def refuses() -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", refuses)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    second, unused = socket.socketpair()
    with ours, theirs, second, unused:
        sandbox = cast(Sandbox, SimpleNamespace(before_zygote_fork=lambda: None))
        zygote_at_work = Zygote(theirs, sandbox, {}, cast(ControlGroup, None))
        zygote_at_work.fork_second_zygote(os.dup(second.fileno()))
        assert "cannot fork a second zygote" in json.loads(ours.recv(4096))["error"]
        second.close()
        assert unused.recv(1) == b""  # nobody holds what the twin would have served


def test_folder_of_any_depth_is_removed(tmp_path):
    """A killed zygote leaves its grading's folder to the judge, with all that workers put there."""
    script = "import os\nfor _ in range(5000):\n    os.mkdir('d')\n    os.chdir('d')\n"
    (deep := tmp_path / "deep").mkdir()
    subprocess.run([sys.executable, "-c", script], cwd=deep, check=True)
    folders.remove_while_written(deep)
    assert not deep.exists()


def test_submission_that_kills_itself_is_charged(hurried, submit):
    """Seen from the judge it looks the same the first time, and is tried again."""
    text = "import os\n\n\ndef storage_index(*_):\n    os.kill(os.getpid(), 9)\n    return 0\n"
    grade = hurried.grade(submit(strides=text), only=["storage_index"])
    assert grade.faults == ()
    assert grade.score == 0


def serving(judge: Judge) -> int:
    """The process that serves: for an ordinary user a child of what was started."""
    started = judge.zygote._process.pid
    return children(started)[0] if judge.zygote.tier == "A" and os.getuid() else started


def of_kind(judge: int) -> dict[str, list[int]]:
    """The processes of a grading, by what they are: told by whose children they are."""
    found: dict[str, list[int]] = {"worker": [], "zygote": [], "twin": [], "second lane": []}
    for child in children(judge):
        if "grader.worker.zygote" not in command(child):
            found["second lane"].append(child)
            continue
        found["zygote"].append(child)
        for pid in children(child):
            if status(pid).get("Seccomp") == "2":
                found["worker"].append(pid)
            elif children(pid):
                found["twin"].append(pid)
                found["worker"] += [p for p in children(pid) if status(p).get("Seccomp") == "2"]
    return found
