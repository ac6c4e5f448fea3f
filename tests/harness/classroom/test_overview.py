"""`overview.html`: what a class made of each exercise, and which checks may be our mistake."""

import re

import pytest

from grader.causes import Cause
from grader.classroom import overview
from grader.classroom.marks import Row
from grader.classroom.roster import Student
from tests.harness.results.example_grade import check, exercise
from tests.harness.results.example_grade import grade as a_grade


def row(name, gather, mfu, hard="failed"):
    """A student's row; `gather` and `mfu` are points of 4 and 6, None if it was not started."""
    cause = Cause.EXCEPTION if hard == "failed" else None
    checks = [
        check("gather", hard, cause, visibility="public"),
        check("gather", "passed" if gather else "failed", None if gather else Cause.WRONG_ANSWER),
        check("gather", hard, cause, name="test_hard"),
        check("mfu", "failed", Cause.NOT_STARTED) if mfu is None else check("mfu"),
        check("mfu", "not_run", Cause.NEEDS_CUDA, name="test_other"),
    ]
    points = {"gather": gather or 0.0, "mfu": mfu or 0.0}
    scores = exercise("gather", points["gather"], 4.0), exercise("mfu", points["mfu"], 6.0)
    race = exercise("fast_adamw", 0.0, 3.0, measured=False)  # which the page leaves out
    found = a_grade(
        score=sum(points.values()),
        max_score=10.0,
        checks=tuple(checks),
        exercises=(*scores, race),
    )
    total = sum(points.values())
    return Row(Student(name), "graded", total, 10.0, final=total, exercises=points, grade=found)


def test_exercises_by_share_and_how_they_agree_with_the_rest():
    rows = [row("a", 4.0, 6.0), row("b", 2.0, 3.0), row("c", None, None)]
    gather, mfu = overview._exercise_views([(one, one.grade) for one in rows])
    assert (gather.started, gather.full, gather.mean) == (1, 1 / 3, 0.5)
    assert (mfu.started, mfu.full, mfu.mean) == (2 / 3, 1 / 3, 0.5)
    assert gather.discrimination == pytest.approx(1)
    assert gather.causes == [("exception", 3), ("wrong_answer", 1)]


def test_a_check_that_nearly_all_fail_is_named():
    few = [row(str(i), 4.0, 6.0, "failed" if i < 7 else "passed") for i in range(10)]
    assert overview.suspects(few) == []
    many = [row(str(i), 4.0, 6.0, "failed" if i < 8 else "passed") for i in range(10)]
    (found,) = overview.suspects(many)
    assert (found.test, found.failed, found.judged) == ("test_gather::test_hard", 8, 10)


def test_marks_fall_into_ten_bins():
    bins = overview._distribution([0, 0.9, 1, 5, 9.9, 10, 11], 10.0)
    assert [count for *_, count in bins] == [2, 1, 0, 0, 0, 1, 0, 0, 0, 3]
    assert overview._distribution([], 0.0) == []


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [Row(Student("a"), "missing"), Row(Student("b"), "refused")],
        [row("<b>", 4.0, 6.0), Row(Student("c"), "missing")],
    ],
    ids=["nobody", "no grade", "one grade"],
)
def test_page_is_self_contained_and_escapes(rows):
    page = overview.html(rows, overview.suspects(rows))
    assert page.startswith("<!doctype html>")
    assert not re.search(r"<script|src=|href=|url\(|<b>", page)
    assert f"<h1>{len(rows)} students</h1>" in page
