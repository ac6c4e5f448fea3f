"""What a course sets for Gradescope: the limit a day, the best score, lateness, what is shown."""

import json
from datetime import datetime, timedelta, timezone

import msgspec
import pytest

from grader.results import course
from grader.results.course import Metadata, Settings
from grader.results.gradescope import to_gradescope
from grader.results.lateness import Deadlines
from grader.results.record import to_json
from tests.harness.results.example_grade import exercise, grade

NOW = datetime(2026, 10, 2, 18, 2, 30, tzinfo=timezone(timedelta(hours=-7)))


def ago(hours, score=80, **fields):
    """A previous submission, as Gradescope lists it."""
    when = NOW - timedelta(hours=hours)
    return {"submission_time": when.isoformat(), "score": score} | fields


def metadata(*previous, **fields):
    found = {"created_at": NOW.isoformat(), "previous_submissions": previous} | fields
    return msgspec.convert(found, Metadata, strict=False)


# --- the limit -----------------------------------------------------------------------------------

GRADED = {"score": 80, "tests": []}


@pytest.mark.parametrize(
    ("limit", "previous", "hours"),
    [
        (None, [ago(2), ago(1)], None),
        (1, [], None),
        (1, [ago(25)], None),
        (1, [ago(24)], None),
        (1, [ago(23)], 1),
        (2, [ago(23)], None),
        (2, [ago(23), ago(1)], 1),
        (2, [ago(1), ago(23)], 1),  # in any order
        (2, [ago(30), ago(20), ago(10)], None),  # the last one was refused
        (1, [ago(25), ago(20), ago(2)], None),  # the last two were refused
        (1, [ago(30), ago(20), ago(5), ago(4)], 19),  # the one of 5 hours ago was graded
        (2, [ago(30), ago(20), ago(7), ago(5)], 4),  # the one of 7 hours ago was refused
        (1, [ago(1, None)], None),
        (1, [ago(1, 0, autograder_error=True)], None),
        (1, [ago(1, 0, results={"output": "a fault"})], None),
        (1, [ago(1, "80.0", results=GRADED, autograder_error=False)], 23),
        (1, [ago(-1)], None),  # graded again by staff, after a later one
    ],
)
def test_limit_counts_graded_submissions_of_24_hours(limit, previous, hours):
    expected = None if hours is None else NOW + timedelta(hours=hours)
    assert course.refused_until(limit, metadata(*previous)) == expected


def test_refused_submission_keeps_the_last_score_and_says_when_the_next_is_possible():
    found = metadata(ago(23, 90), ago(3, 70))
    assert course.refusal(Settings(), found) is None
    refused = course.refusal(Settings(limit_per_day=2), found)
    assert refused["score"] == 70
    assert refused["output"] == (
        "Not graded: the limit is 2 in 24 hours. The next submission can be graded from "
        "2026-10-02 19:03 (UTC-07:00). You keep the score that you had."
    )
    assert refused["extra_data"] == {"refused": True}
    assert {test["visibility"] for test in refused["tests"]} == {"visible"}
    best = Settings(limit_per_day=2, keep_best=True, visibility="after_published")
    refused = course.refusal(best, found)
    assert refused["score"] == 90
    # One hidden test hides the total.
    assert [test["visibility"] for test in refused["tests"]] == ["after_published"]


# --- the score -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("previous", "expected"),
    [
        ([], (80, "")),
        ([ago(1, None)], (80, "")),
        ([ago(1, 79)], (80, "This is your best submission so far.")),
        (
            [ago(24, 83), ago(1, 83), ago(2, 7)],
            (
                83,
                "Your best is 83 of 100, of your submission of 2026-10-01 18:02; this one has 80.",
            ),
        ),
    ],
)
def test_best_score_is_shown_with_the_submission_that_has_it(previous, expected):
    found = metadata(*previous)
    assert course.shown_score(Settings(keep_best=True), found, 80, 100) == expected
    hidden = Settings(keep_best=True, visibility="after_published")
    assert course.shown_score(hidden, found, 80, 100) == (expected[0], "")
    assert course.shown_score(Settings(), found, 80, 100) == (80, "")


def due(days):
    return {"due_date": (NOW - timedelta(days=days)).isoformat()}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 5),  # as the file says
        ({"assignment": due(1.5)}, 2),
        ({"assignment": due(-1)}, 0),
        ({"assignment": {"due_date": None}, "users": [{"assignment": None}]}, 5),
        ({"assignment": due(4), "users": [{"email": "a@x"}]}, 4),
        ({"assignment": due(4), "users": [{"assignment": due(0.5)}]}, 1),
        ({"assignment": due(4), "users": [{"assignment": due(3)}, {"assignment": due(2)}]}, 2),
        ({"assignment": due(4), "users": [{"assignment": {}}, {"assignment": due(2)}]}, 2),
    ],
)
def test_lateness_counts_from_the_students_own_due_date(fields, expected):
    late = Deadlines(due=NOW - timedelta(days=5), per_day=0.1)
    score, said = course.shown_score(Settings(late=late), metadata(**fields), 80, 100)
    assert score == pytest.approx(80 - 8 * expected)
    days = "1 day" if expected == 1 else f"{expected} days"
    assert said == (f"{days} late, minus {expected}0%." if expected else "")


def test_lateness_comes_off_before_the_best_is_taken():
    settings = Settings(late=Deadlines(per_day=0.1), keep_best=True)
    assert course.shown_score(settings, metadata(ago(1, 65), assignment=due(1.5)), 80, 100) == (
        65,
        "2 days late, minus 20%. Your best is 65 of 100, of your submission of 2026-10-02 17:02; "
        "this one has 64.",
    )


# --- results.json --------------------------------------------------------------------------------


def finished(folder, settings, metadata_text="", of=None):
    """What `finish` makes of a grade, or of the message that nothing could be graded."""
    (folder / "settings.json").write_bytes(msgspec.json.encode(settings))
    (folder / "metadata").write_text(metadata_text)
    message = b'{"score": 0, "output": "Nothing could be graded.", "tests": []}'
    (folder / "results.json").write_bytes(to_gradescope(of) if of else message)
    if of:
        (folder / "grade.json").write_bytes(to_json(of))
    arguments = (str(folder / "settings.json"), str(folder / "metadata"), str(folder))
    assert course.main("finish", *arguments) == 0
    return (folder / "results.json").read_bytes()


BEFORE = json.dumps({"created_at": NOW.isoformat(), "previous_submissions": [ago(1, 83)]})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": 1}', '{"created_at": "2026-10-02"}'])
def test_metadata_that_cannot_be_read_changes_nothing_and_staff_hear_of_it(tmp_path, text, capsys):
    settings = Settings(limit_per_day=1, keep_best=True, late=Deadlines(per_day=1))
    assert finished(tmp_path, settings, text, grade()) == to_gradescope(grade())
    arguments = (str(tmp_path / "settings.json"), str(tmp_path / "nowhere"), str(tmp_path))
    assert course.main("refuse", *arguments) == 1
    assert capsys.readouterr().out.count("no limit, best score or lateness: ") == 2


def test_settings_reach_results_json(tmp_path):
    settings = Settings(keep_best=True, leaderboard=True)
    found = json.loads(finished(tmp_path, settings, BEFORE, grade()))
    assert found["score"] == 83
    assert found["output"].startswith("Your best is 83 of 12, of your submission of 2026-10-02 17:")
    # Of the code that is handed in; the chapter that was not measured is left out.
    assert found["leaderboard"] == [
        {"name": "Total", "value": 3.5},
        {"name": "dtypes", "value": 2.0},
        {"name": "strides", "value": 1.5},
    ]


def test_best_score_outlives_files_that_hold_no_package(tmp_path):
    found = json.loads(finished(tmp_path, Settings(keep_best=True), BEFORE))
    assert found["score"] == 83
    assert found["output"] == "Nothing could be graded.\n\nYour best score stays."


def test_hidden_points_are_in_no_text_that_is_visible(tmp_path):
    settings = Settings(keep_best=True, visibility="after_published")
    of = grade(score=7.25, exercises=(exercise("done", 7.25, 12.0),), checks=())
    found = json.loads(finished(tmp_path, settings, BEFORE, of))
    assert {test["visibility"] for test in found["tests"]} == {"after_published"}
    assert "The points are shown once the course publishes them." in found["output"]
    assert not {"7.25", "83", "complete."} & set(found["output"].split())
    assert "leaderboard" not in found
    (tmp_path / "grade.json").unlink()
    found = json.loads(finished(tmp_path, settings, BEFORE))
    assert [test["visibility"] for test in found["tests"]] == ["after_published"]
