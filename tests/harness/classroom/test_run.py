"""A class is graded once, whatever is killed on the way; the same command goes on."""

import contextlib
import errno
import gzip
import itertools
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from grader.classroom import folder, roster, run
from grader.classroom.folder import Failure, Source, StudentFolder, current_run, end_run
from grader.isolation import TIERS
from tests.harness.classroom import fakes
from tests.harness.classroom.fakes import FakeGrader, hand_in
from tests.harness.results.example_grade import check
from tests.harness.results.example_grade import grade as a_grade


@pytest.fixture
def grade(tmp_path, log):
    """Grades what a folder holds; returns how each job ended, and what was graded how often."""

    def go(folder=tmp_path / "in", processes=1):
        counted = roster.match(roster.handed_in(folder), None).counted
        order = run.Order(tmp_path / "marks", TIERS)
        todo = [job for job in run.jobs_of(counted) if not run.is_done(job, order)]
        ends = {}
        run.grade_all(
            todo,
            order,
            processes,
            lambda job, status: ends.update(dict.fromkeys(job.students, status)),
            fakes.start,
        )
        often = {file.name: len(file.read_text().split()) for file in log.iterdir()}
        return ends, Counter(often)

    return go


@pytest.fixture
def of(tmp_path):
    return partial(StudentFolder, tmp_path / "marks")


def test_each_is_graded_once_and_again_only_if_it_changed(grade, of, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="5")
    ends, often = grade(processes=2)
    assert ends == {"ada": "graded", "bob": "graded"}
    assert (of("ada").grade().score, of("bob").grade().nonce) == (
        7.0,
        current_run(tmp_path / "marks").nonce,
    )
    assert grade() == ({}, often)
    # The same files again, later: they are read, and the grade stays.
    os.utime(tmp_path / "in" / "ada" / "resource_accounting", (0, 0))
    assert grade() == ({"ada": "unchanged"}, often)
    hand_in(tmp_path / "in", bob="6")
    ends, often = grade()
    assert ends == {"bob": "graded"}
    assert often == {"ada": 1, "bob": 2}
    assert of("bob").grade().score == 6.0


def test_what_cannot_be_read_is_refused_and_not_tried_again(grade, of, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    (tmp_path / "in" / "eve.zip").write_bytes(b"no zip")
    ends, _ = grade()
    assert ends == {"ada": "graded", "eve": "refused"}
    assert "neither a folder nor a readable zip" in of("eve").failure().message
    assert grade()[0] == {}
    (tmp_path / "in" / "eve.zip").unlink()
    hand_in(tmp_path / "in", eve="3")
    assert grade()[0] == {"eve": "graded"}
    assert of("eve").failure() is None


def test_a_fault_costs_nobody_else_and_is_tried_again_by_the_next_command(grade, of, tmp_path):
    hand_in(tmp_path / "in", ada="fault", bob="5", eve="fault", tim="1")
    ends, often = grade(processes=2)
    assert ends == {"ada": "fault", "bob": "graded", "eve": "fault", "tim": "graded"}
    assert often["ada"] == 2, "once more by a new grader"
    assert of("ada").failure().message == "the machine is on fire"
    hand_in(tmp_path / "in", eve="4")
    assert grade()[0] == {"ada": "fault", "eve": "graded"}


def test_a_process_that_is_killed_costs_only_what_kills_it(grade, of, tmp_path):
    hand_in(tmp_path / "in", ada="1", eve="kills", tim="2", zoe="3")
    ends, often = grade()
    assert ends == {"ada": "graded", "eve": "fault", "tim": "graded", "zoe": "graded"}
    assert often["eve"] == 3
    assert "killed 3 times" in of("eve").failure().message
    with of("eve").leased() as renew:
        assert renew is not None, "whoever held it is gone"


def test_a_group_is_graded_once_for_all_its_members(grade, of, tmp_path):
    hand_in(tmp_path / "in", pair="8")
    own = ("id",)
    members = roster.Member((("ada", own),)), roster.Member((("bob", own),))
    pair = roster.HandIn(tmp_path / "in" / "pair", members)
    (job,) = run.jobs_of(roster.match([pair], None).counted)
    assert job.students == ("ada", "bob")
    run.grade_one(FakeGrader(tmp_path / "log"), job, run.Order(tmp_path / "marks", TIERS))
    assert of("ada").grade() == of("bob").grade()
    assert run.is_done(job, run.Order(tmp_path / "marks", TIERS))


def test_what_another_machine_grades_is_left_to_it(grade, of, tmp_path):
    hand_in(tmp_path / "in", ada="1", bob="2")
    with of("ada").leased() as renew:
        assert renew is not None
        assert grade()[0] == {"ada": "elsewhere", "bob": "graded"}
        job = run.Job(tmp_path / "in" / "ada", ("ada",))
    assert list(run.wait_for_others([job], tmp_path / "marks")) == [job]


@pytest.mark.parametrize(
    ("owner", "age", "taken"),
    [
        ("of this machine, alive", 60, False),
        ("of this machine, alive", 3600, True),
        ("of this machine, gone", 0, True),
        ("of this machine, its number another's", 0, True),
        ("elsewhere", 60, False),
        ("elsewhere", 3600, True),
        ("unreadable", 60, False),
        ("unreadable", 3600, True),
    ],
)
def test_lease_is_taken_over_once_its_owner_is_gone(of, owner, age, taken):
    ada = of("ada")
    with ada.leased():
        lease = ada.path / "lease"
        text = lease.read_text()
    if owner == "unreadable":
        text = ""
    elif owner.endswith("another's"):
        text = text.replace('"begun":"', '"begun":"1')
    elif owner != "of this machine, alive":
        text = text.replace(f":{os.getpid()}", f":{2**22 + 1}")
        if owner == "elsewhere":
            text = text.replace('"place":"', '"place":"another ')
    lease.write_text(text)
    now = lease.stat().st_mtime
    os.utime(lease, (now - age, now - age))
    with ada.leased() as renew:
        assert (renew is not None) == taken
        if taken:
            renew()
    assert lease.exists() != taken


def test_who_is_killed_while_taking_a_lease_holds_nobody_up(of):
    """At any line: a lease that named no owner would stand for ten minutes"""
    ada = of("ada")
    for line in itertools.count(1):
        if not (pid := os.fork()):
            with killed_at(line, folder.__file__), ada.leased():
                os._exit(0)
        status = os.waitpid(pid, 0)[1]
        with ada.leased() as renew:
            assert renew is not None, line
        if not status:
            break
    assert line > 10


@contextmanager
def killed_at(line, file):
    """Kills this process before the line of a file with this number, counted as they run."""
    left = iter(range(line))

    def trace(frame, event, _):
        if frame.f_code.co_filename == file and event == "line" and next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    yield


def test_a_lease_that_another_took_over_is_left_to_them(of):
    """As after ten minutes of sleep: nothing is renewed or removed, and no grade is lost"""
    ada = of("ada")
    with ada.leased() as renew:
        other = '{"place":"elsewhere","pid":1,"token":"other"}'
        (ada.path / "lease").write_text(other)
        os.utime(ada.path / "lease", (1, 1))
        renew()
        assert (ada.path / "lease").stat().st_mtime == 1
    assert (ada.path / "lease").read_text() == other


def test_members_of_a_group_are_leased_together(grade, of, tmp_path):
    hand_in(tmp_path / "in", pair="8")
    job = run.Job(tmp_path / "in" / "pair", ("ada", "bob"))
    with of("bob").leased():
        status = run.grade_one(
            FakeGrader(tmp_path / "log"), job, run.Order(tmp_path / "marks", TIERS)
        )
    assert status == "elsewhere"
    assert not of("ada").is_leased


def test_grade_of_a_weaker_tier_is_made_again(grade, of, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    grade()
    job = run.Job(tmp_path / "in" / "ada", ("ada",))
    assert run.is_done(job, run.Order(tmp_path / "marks", ("A",)))
    assert not run.is_done(job, run.Order(tmp_path / "marks", ("B",)))
    run.grade_one(FakeGrader(tmp_path / "log"), job, run.Order(tmp_path / "marks", ("B",)))
    assert (tmp_path / "log" / "ada").read_text() == "graded\n" * 2


def test_failure_that_a_kill_left_beside_a_grade_goes_with_the_next_write(of):
    ada, source = of("ada"), Source(state="", tree="")
    found = a_grade()
    ada.write_grade(found, source)
    ada._write(ada._failure, b'{"status":"refused","message":"once"}')
    ada.write_grade(found, source)
    assert ada.failure() is None
    assert ada.previous() is None
    ada.write_failure(Failure("fault", "now"), source)
    assert (ada.grade(), ada.previous()) == (None, found)


@pytest.mark.parametrize(
    "record", [b"", b"no gzip", gzip.compress(b"{}")], ids=["empty", "no gzip", "no grade"]
)
def test_record_that_cannot_be_read_is_none(of, record):
    """As of an older grader: it is graded again"""
    ada = of("ada")
    ada._write(ada.grade_file, record)
    assert ada.grade() is None


@pytest.fixture
def deep(tmp_path):
    """A folder in a folder, 1500 times; Python's own `rmtree` could not remove it."""
    root = tmp_path / "in" / "ada"
    root.mkdir(parents=True)
    here = os.open(root, os.O_DIRECTORY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        inside = os.open("d", os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(here)
    yield root
    subprocess.run(["rm", "-rf", root], check=True)


def test_folder_of_any_depth_can_be_looked_at(deep, tmp_path):
    assert not run.is_done(run.Job(deep, ("ada",)), run.Order(tmp_path / "marks", TIERS))


def test_name_that_is_not_utf8_is_kept_as_text(of, tmp_path):
    odd = tmp_path / "in" / os.fsdecode(b"b\xff")
    odd.mkdir(parents=True)
    job = run.Job(odd, ("bob",))
    grader = FakeGrader(tmp_path)
    assert run.grade_one(grader, job, run.Order(tmp_path / "marks", TIERS)) == "refused"
    assert "b\\xff" not in of("bob").failure().message


def test_two_machines_that_begin_have_one_run(tmp_path):
    with ThreadPoolExecutor(8) as threads:
        runs = list(threads.map(lambda _: current_run(tmp_path / "marks"), range(8)))
    assert len(set(runs)) == 1
    end_run(tmp_path / "marks")
    with ThreadPoolExecutor(8) as threads:
        later = list(threads.map(lambda _: current_run(tmp_path / "marks"), range(8)))
    assert len({*runs, *later}) == 2


def test_who_joins_a_group_changes_nobodys_draw(of, log, tmp_path):
    hand_in(tmp_path / "in", pair="8", bob="5")
    order, fake = run.Order(tmp_path / "marks", TIERS), FakeGrader(log)
    run.grade_one(fake, run.Job(tmp_path / "in" / "pair", ("ada",)), order)
    run.grade_one(fake, run.Job(tmp_path / "in" / "bob", ("bob",)), order)
    nonce = of("ada").grade().nonce
    end_run(tmp_path / "marks")
    run.grade_one(fake, run.Job(tmp_path / "in" / "pair", ("bob", "ada")), order)
    assert (of("ada").grade().nonce, of("bob").grade().nonce) == (nonce, nonce)
    assert (log / "pair").read_text() == "graded\n"


def test_a_grade_that_differs_in_seconds_alone_puts_nothing_away(of):
    ada, source = of("ada"), Source(state="", tree="")
    first, second = a_grade(checks=(check("half", "failed"),)), a_grade(checks=(check("half"),))
    slower = tuple(msgspec.structs.replace(one, seconds=9.0) for one in second.checks)
    for one in (first, second, msgspec.structs.replace(second, checks=slower)):
        ada.write_grade(one, source)
    assert ada.previous() == first


@pytest.mark.parametrize("name", ["d" * 200, "😀" * 50], ids=["of ascii", "of emojis"])
def test_a_change_beside_a_long_path_or_in_it_is_seen(tmp_path, name):
    root = hand_in(tmp_path / "in", ada="7") / "ada"
    with contextlib.chdir(root):
        for depth in range(22):
            Path(name).mkdir()
            os.chdir(name)
            if depth == 14:
                in_it = os.open(".", os.O_RDONLY)
    states = [folder.state_of(root)]
    hand_in(tmp_path / "in", ada="66")
    states.append(folder.state_of(root))
    os.close(os.open("in it", os.O_CREAT, dir_fd=in_it))
    os.close(in_it)
    states.append(folder.state_of(root))
    assert len({*states}) == 3


def test_left_out_files_are_not_named_beside_aliases(of, log, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    (tmp_path / "in" / "ada" / "ada_king.txt").touch()

    class Naming(FakeGrader):
        def grade(self, submission, **options):
            made = super().grade(submission, **options)
            return msgspec.structs.replace(made, left_out=submission.left_out)

    order = run.Order(tmp_path / "marks", TIERS, is_anonymous=True)
    run.grade_one(Naming(log), run.Job(tmp_path / "in" / "ada", ("student-1",)), order)
    (found,) = of("student-1").grade().left_out
    assert "king" not in found


def test_what_this_machine_cannot_read_is_a_fault_and_tried_again(grade, tmp_path, monkeypatch):
    """Not a refusal, which would stay after somebody has corrected the file's mode"""
    hand_in(tmp_path / "in", ada="7")
    opened = os.open

    def closed(path, *args, **options):
        if str(path) == "flops.py":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", closed)
        assert grade()[0] == {"ada": "fault"}
    assert grade()[0] == {"ada": "graded"}
