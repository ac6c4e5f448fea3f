"""A class is graded once, whatever is killed on the way; the same command goes on."""

import os
from collections import Counter
from functools import partial

import pytest

from grader.classroom import roster, run
from grader.classroom.folder import StudentFolder
from tests.harness.classroom.fakes import FakeGrader, hand_in

NONCE = "a nonce"


@pytest.fixture
def grade(tmp_path):
    """Grades what a folder holds; returns how each job ended, and what was graded how often."""
    log = tmp_path / "log"
    log.mkdir()

    def go(folder=tmp_path / "in", processes=1):
        counted = roster.match(roster.handed_in(folder), None).counted
        todo = [job for job in run.jobs_of(counted) if not run.is_done(job, tmp_path / "marks")]
        ends = {}
        start = partial(FakeGrader, log)
        run.grade_all(
            todo,
            tmp_path / "marks",
            NONCE,
            start,
            processes,
            lambda job, status: ends.update(dict.fromkeys(job.students, status)),
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
    assert (of("ada").grade().score, of("bob").grade().nonce) == (7.0, NONCE)
    assert grade() == ({}, often)
    # The same files again, later: they are read, and the grade stays.
    os.utime(tmp_path / "in" / "ada", (0, 0))
    assert grade() == ({"ada": "graded"}, often)
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
    member = roster.Member
    pair = roster.HandIn(tmp_path / "in" / "pair", (member(("ada",)), member(("bob",))))
    (job,) = run.jobs_of(roster.match([pair], None).counted)
    assert job.students == ("ada", "bob")
    run.grade_one(FakeGrader(tmp_path / "log"), job, tmp_path / "marks", NONCE)
    assert of("ada").grade() == of("bob").grade()
    assert run.is_done(job, tmp_path / "marks")


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
        ("of this machine, alive", 0, False),
        ("of this machine, gone", 0, True),
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
