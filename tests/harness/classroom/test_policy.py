"""The late policy, and the files in which staff decide."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.classroom import policy
from grader.classroom.policy import Deadlines, PolicyError

DUE = datetime(2026, 10, 2, 22, tzinfo=UTC)
DEADLINES = Deadlines(
    due=DUE,
    grace_minutes=15,
    late_days=1,
    per_day=0.1,
    at_most=0.25,
    extensions={"bob": DUE + timedelta(days=3)},
)


@pytest.mark.parametrize(
    ("student", "late", "days", "penalty"),
    [
        ("ada", timedelta(days=-3), 0, 0),
        ("ada", timedelta(minutes=15), 0, 0),
        ("ada", timedelta(minutes=16), 1, 0),  # a late day of hers
        ("ada", timedelta(days=1), 1, 0),
        ("ada", timedelta(days=1, seconds=1), 2, 0.1),
        ("ada", timedelta(days=9), 9, 0.25),
        ("bob", timedelta(days=3, minutes=10), 0, 0),
        ("bob", timedelta(days=4, hours=1), 2, 0.1),
    ],
)
def test_days_and_what_they_cost(student, late, days, penalty):
    assert DEADLINES.days_late(student, DUE + late) == days
    assert DEADLINES.penalty(days) == pytest.approx(penalty)


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
        "id,exercise,points,author,reason,date\nada,gather,1,tim,asked,2026-10-05\n"
        "ada,gather,2.5,ann,asked again,2026-10-06\nada,,50,ann,oral exam,2026-10-06\n"
    )
    found = policy.read_overrides(path)
    assert {key: (one.points, one.author) for key, one in found.items()} == {
        ("ada", "gather"): (2.5, "ann"),
        ("ada", ""): (50.0, "ann"),
    }
    path = tmp_path / "holds.csv"
    path.write_text(
        "id,author,reason,date,released\nada,tim,cheating?,1 Oct,\nbob,tim,?,1 Oct,\n"
        "ada,tim,talked,2 Oct,2 Oct\n"
    )
    assert list(policy.read_holds(path)) == ["bob"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("due = 2026-10-03T00:00:00", "no time zone"),
        ("due = 2026-10-03T00:00:00Z\nper_day = 10", "shares of the score"),
        ("due = 2026-10-03T00:00:00Z\nperday = 0.1", "perday"),
        ("due = ", "cannot be read"),
    ],
)
def test_mistake_in_the_deadlines_is_named(tmp_path, text, said):
    path = tmp_path / "deadlines.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=said):
        policy.read_deadlines(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ada,gather,x,tim,why,1 Oct", "'x' are no number"),
        ("ada,gather,-1,tim,why,1 Oct", "'-1' are no number"),
        ("ada,gather,nan,tim,why,1 Oct", "'nan' are no number"),
        ("ada,gather,1,,why,1 Oct", ":2: author is missing"),
        ("ada,gather,1,tim", ":2: reason is missing"),
    ],
)
def test_mistake_in_an_override_is_named(tmp_path, line, said):
    path = tmp_path / "overrides.csv"
    path.write_text(f"id,exercise,points,author,reason,date\n{line}\n")
    with pytest.raises(PolicyError, match=said):
        policy.read_overrides(path)
