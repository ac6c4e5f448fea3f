"""The files in which staff decide: the late policy, overrides, holds."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.classroom import policy
from grader.classroom.policy import PolicyError

DUE = datetime(2026, 10, 2, 22, tzinfo=UTC)


def test_files_are_read_and_the_last_line_counts(tmp_path):
    path = tmp_path / "deadlines.toml"
    path.write_text(
        "due = 2026-10-03T00:00:00+02:00\nper_day = 0.1\n[extensions]\nbob = 2026-10-05T22:00:00Z\n"
    )
    found = policy.read_deadlines(path)
    assert (found.due, found.extensions) == (DUE, {"bob": DUE + timedelta(days=3)})
    path = tmp_path / "overrides.csv"
    assert policy.read_overrides(path) == {}
    path.write_text(
        "id,exercise,points,author,reason,date\nada,gather,1,tim,asked,2026-10-05\n\n"
        "ada,gather,2.5,ann,asked again,2026-10-06\nada,,50,ann,oral exam,2026-10-06\n"
    )
    found = policy.read_overrides(path)
    assert {key: (one.points, one.author) for key, one in found.items()} == {
        ("ada", "gather"): (2.5, "ann"),
        ("ada", ""): (50.0, "ann"),
    }
    path = tmp_path / "holds.csv"
    path.write_text(
        "id,author,reason,date,released\nada,tim,cheating?,2026-10-01,\nbob,tim,?,2026-10-01,\n"
        "ada,tim,talked,2026-10-02,2026-10-02\n"
    )
    assert list(policy.read_holds(path)) == ["bob"]
    path = tmp_path / "times.csv"
    path.write_text(
        "id,time,author,reason,date\nada,2026-10-03T00:00:00+02:00,tim,mail,2026-10-03\n"
    )
    assert policy.read_times(path) == {"ada": DUE}
    path = tmp_path / "matches.csv"
    line = ",tim,why,2026-10-03\n"
    path.write_text(
        f"name,id,author,reason,date\nx.zip,ada{line}x.zip,bob{line}y,ada{line}y,{line}"
    )
    assert policy.read_matches(path) == {"x.zip": ["ada", "bob"], "y": []}
    assert policy.read_deadlines(tmp_path / "nowhere.toml") is None


DEADLINES = "due = 2026-10-03T00:00:00Z\n"
OVERRIDES = "id,exercise,points,author,reason,date\n"
HOLDS = "id,author,reason,date,released\n"
TIMES = "id,time,author,reason,date\nada,{},tim,mail,2026-10-03\n"


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("deadlines", "due = 2026-10-03T00:00:00", "no time zone"),
        ("deadlines", f"{DEADLINES}per_day = 10", "shares of the score"),
        ("deadlines", f"{DEADLINES}late_days = -1", "at least 0"),
        ("deadlines", f"{DEADLINES}grace_minutes = -1", "at least 0"),
        ("deadlines", f"{DEADLINES}perday = 0.1", "perday"),
        ("deadlines", "due = ", "cannot be read"),
        ("deadlines", "per_day = 0.1", "due is missing; write due = "),
        ("overrides", f"{OVERRIDES}ada,gather,x,tim,why,2026-10-01\n", "'x' are no number"),
        ("overrides", f"{OVERRIDES}ada,gather,-1,tim,why,2026-10-01\n", "'-1' are no number"),
        ("overrides", f"{OVERRIDES}ada,gather,nan,tim,why,2026-10-01\n", "'nan' are no number"),
        ("overrides", f"{OVERRIDES}ada,gather,1,,why,2026-10-01\n", ":2: author is missing"),
        ("overrides", f"{OVERRIDES}ada,gather,1,tim\n", ":2: 4 cells for id,exercise,points"),
        ("overrides", f"{OVERRIDES}ada,,40,5,tim,why,2026-10-01\n", ":2: 7 cells for"),
        ("overrides", f"{OVERRIDES}ada,gather,1,tim,why,1 Oct\n", "date is '1 Oct'"),
        ("holds", "id,author,reason,date\n", ":1: expected the columns id,author,reason,date,rel"),
        ("holds", f"{HOLDS}bob,tim,as, last year,2026-10-01,\n", "6 cells"),
        ("holds", f"{HOLDS}bob,tim,why,2026-10-01,no\n", "released is 'no'"),
        ("times", TIMES.format(""), "is none; write"),
        ("times", TIMES.format("yesterday"), "is none; write"),
        ("times", TIMES.format("2026-10-03T00:00:00"), "is none; write"),
    ],
)
def test_mistake_in_a_file_of_the_staffs_is_named(tmp_path, file, text, said):
    path = tmp_path / file
    path.write_text(text)
    with pytest.raises(PolicyError, match=said):
        getattr(policy, f"read_{file}")(path)
