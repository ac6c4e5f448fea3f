"""The late policy: days late, and what they cost."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.results import lateness
from grader.results.lateness import Deadlines

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
        ("ada", timedelta(days=1, minutes=15), 1, 0),
        ("ada", timedelta(days=1, minutes=16), 2, 0.1),
        ("ada", timedelta(days=9), 9, 0.25),
        ("bob", timedelta(days=3, minutes=10), 0, 0),
        ("bob", timedelta(days=4, hours=1), 2, 0.1),
    ],
)
def test_days_and_what_they_cost(student, late, days, penalty):
    assert DEADLINES.days_late(student, DUE + late) == days
    assert DEADLINES.penalty(days) == pytest.approx(penalty)
    assert DEADLINES.in_words(3) == "3 days late (1 free), minus 20%"


def test_nobody_is_late_where_nothing_is_due(tmp_path):
    path = tmp_path / "deadlines.toml"
    path.write_text("per_day = 0.1\n[extensions]\nbob = 2026-10-02T22:00:00Z\n")
    found = lateness.read(path, LookupError)
    assert found.days_late("ada", DUE + timedelta(days=1)) == 0
    assert found.days_late("bob", DUE + timedelta(days=1)) == 1
