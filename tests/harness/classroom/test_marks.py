"""The rows of a class: what was graded, lateness, what staff decided, what needs a person."""

import csv
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from grader.classroom import attention, marks, publication
from grader.classroom.decisions import Decisions
from grader.classroom.folder import Failure, Source, StudentFolder, current_run
from grader.classroom.policy import Hold, Override
from grader.classroom.roster import Class, HandIn, Member, Student
from grader.results.lateness import Deadlines
from grader.results.record import ModuleReport
from grader.results.text import points
from tests.harness.classroom.fakes import provenance
from tests.harness.results.example_grade import CANARY, exercise
from tests.harness.results.example_grade import grade as a_grade

OWN = ("id",)
NOTHING = Decisions()
DUE = datetime(2026, 10, 2, tzinfo=UTC)
SOURCE = Source(state="", tree="")


@pytest.fixture
def a_class(tmp_path):
    """A class by the fields of each student's grade, a Failure, or None if nothing came."""

    def make(**students):
        found = Class({})
        for name, fields in students.items():
            found.students[name] = Student(name, f"{name} of x")
            folder = StudentFolder(tmp_path, name)
            if fields is not None:
                found.counted[name] = HandIn(
                    Path(f"{name}.zip"), (Member(((name, OWN),)),), when=DUE
                )
            if isinstance(fields, Failure):
                folder.write_failure(fields, SOURCE)
            elif fields is not None:
                usual = {"score": 8.0, "max_score": 10.0, "provenance": provenance(name)}
                usual |= {"left_out": (), "modules": ()}
                usual["exercises"] = exercise("gather", 3.0, 4.0), exercise("mfu", 5.0, 6.0)
                folder.write_grade(a_grade(**(usual | fields)), SOURCE)
        return found

    return make


def rows_of(found, folder, decisions=NOTHING, but=()):
    return marks.rows(found, folder, decisions, found.counted.keys() - set(but))


def test_a_row_for_each_student_with_what_was_graded(a_class, tmp_path):
    found = a_class(ada={}, bob=Failure("refused", "no zip"), eve=None, tim={"score": 0.0})
    del found.students["tim"]
    rows = rows_of(found, tmp_path)
    assert [(row.student.id, row.status, row.final) for row in rows] == [
        ("ada", "graded", 8.0),
        ("bob", "refused", None),
        ("eve", "missing", None),
    ]
    marks.write_tables(rows, tmp_path)
    with (tmp_path / "marks.csv").open() as file:
        ada, bob, _ = csv.DictReader(file)
    assert tuple(ada) == marks.COLUMNS
    assert {key: ada[key] for key in ("name", "max", "not_started", "nonce", "cpu_s")} == {
        "name": "ada of x",
        "max": "10.0",
        "not_started": "2",
        "nonce": CANARY,
        "cpu_s": "1.5",
    }
    assert (bob["final"], bob["attention"]) == ("", "refused: no zip")
    by_exercise = (tmp_path / "marks_by_exercise.csv").read_text().splitlines()
    assert by_exercise == ["id,gather,mfu", "ada,3.0,5.0", "bob,,", "eve,,"]


def test_lateness_takes_its_share_and_an_extension_gives_it_back(a_class, tmp_path):
    found = a_class(ada={}, bob={}, eve={})
    found.counted["eve"] = HandIn(Path("eve.zip"), (Member((("eve", OWN),)),), late=True)
    deadlines = Deadlines(due=DUE - timedelta(days=1.5), per_day=0.1, extensions={"bob": DUE})
    ada, bob, eve = rows_of(found, tmp_path, Decisions(deadlines))
    assert (ada.late_days, ada.penalty, ada.final) == (2, 0.2, 6.4)
    assert (bob.late_days, bob.final) == (0, 8.0)
    assert ada.explanation == "Your mark is 6.4: 8 by the tests; 2 days late, minus 20%."
    assert (eve.final, eve.attention) == (
        8.0,
        ["late, says the platform, but not since when: not charged; times.csv can say"],
    )


def test_staff_override_an_exercise_or_the_mark_and_hold_one(a_class, tmp_path):
    overrides = {
        ("ada", "gather"): Override(4.0, "tim", "a typo"),
        ("ada", "nosuch"): Override(4.0, "tim", "a typo"),
        ("bob", ""): Override(9.5, "ann", "oral exam"),
    }
    holds = {"bob": Hold("ann", "ask him")}
    found = a_class(ada={}, bob={})
    ada, bob = rows_of(found, tmp_path, Decisions(None, overrides, holds))
    assert (ada.score, ada.final, ada.exercises) == (9.0, 9.0, {"gather": 4.0, "mfu": 5.0})
    assert ada.attention == ["the override of nosuch fits no exercise of the grade"]
    assert ada.settled == ["gather was 3 and is 4, by tim: a typo"]
    assert (bob.score, bob.final, bob.is_held) == (8.0, 9.5, True)
    said = "the mark was 8 and is 9.5, by ann: oral exam"
    assert (bob.attention, bob.settled) == ([], ["held by ann: ask him", said])


def test_override_of_a_further_exercise_leaves_the_total_alone(a_class, tmp_path):
    beside = exercise("gather", 3.0, 4.0), exercise("mfu", 5.0, 6.0, core=False)
    found = a_class(ada={"exercises": beside, "score": 3.0, "max_score": 4.0})
    overrides = {("ada", "mfu"): Override(6.0, "tim", "a typo")}
    (ada,) = rows_of(found, tmp_path, Decisions(None, overrides, {}))
    assert (ada.score, ada.max_score, ada.exercises["mfu"]) == (3.0, 4.0, 6.0)
    assert ada.settled == [
        "mfu was 5 and is 6, by tim: a typo (a further exercise: no part of the mark)"
    ]


def test_override_without_a_grade_is_the_mark(a_class, tmp_path):
    overrides = {
        ("ada", ""): Override(5.0, "tim", "on paper"),
        ("ada", "gather"): Override(4.0, "tim", "a typo"),
    }
    found = a_class(ada=None)
    (ada,) = rows_of(found, tmp_path, Decisions(None, overrides))
    assert (ada.status, ada.score, ada.final) == ("missing", None, 5.0)
    assert (len(ada.attention), len(ada.settled)) == (1, 1)


def test_an_extension_settles_who_is_late_for_the_platform(a_class, tmp_path):
    found = a_class(ada={})
    found.counted["ada"] = HandIn(Path("ada.zip"), (), late=True)
    (row,) = rows_of(found, tmp_path, Decisions(Deadlines(due=DUE, extensions={"ada": DUE})))
    assert row.attention == ["late, says the platform, but has until 2026-10-02 00:00: not charged"]


def test_attention_names_the_most_urgent_first(a_class, tmp_path):
    broken = ModuleReport(module="dtypes", ok=False, message="SyntaxError")
    same = {"provenance": provenance("the same")}
    found = a_class(
        ada={"left_out": ("notes.txt (outside)",)},
        bob={"score": 0.0, "modules": (broken,), **same},
        eve=Failure("fault", "on [fire](www.x)"),
        tim=same,
        zoe=None,
    )
    found.unmatched.append((Path("in/=x.zip"), "no line of the roster has 'x'"))
    found.students["zoe"] = Student("zoe", "![z](http://z) <img src=z> `")
    found.earlier["tim"] = [HandIn(Path("first.zip"), ())]
    text = attention.text(found, rows_of(found, tmp_path), tmp_path)
    order = [
        text.index(part) for part in ("=x.zip", r"on \[fire\]", "0 points", "left", "same files")
    ]
    assert order == sorted(order)
    assert "www." not in text
    assert "- bob, tim\n" in text
    assert "handed in earlier, and not counted: first.zip" in text
    assert text.rstrip().endswith("## 1 student without anything handed in\n\nzoe")
    strange = attention.text(found, [], tmp_path, {"amy"})
    assert "## 1 student in the folder of marks, but not in this class\n\namy" in strange
    quiet = a_class(amy={})
    rows = rows_of(quiet, tmp_path)
    assert attention.text(quiet, rows, tmp_path) == "# What needs a person\n\nNothing.\n"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "x;=1", "x, +1", "x|@1", 'x;"=1;y'])
def test_no_cell_is_a_formula(a_class, tmp_path, name):
    found = a_class(ada={})
    found.students["ada"] = Student("ada", name)
    marks.write_tables(rows_of(found, tmp_path), tmp_path)
    with (tmp_path / "marks.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert re.search(r"""(^|[;,|][ "]*)'[=+@-]""", row["name"])
    assert not re.search(r"""(^|[;,|][ "]*)[=+@-]""", row["name"])


def test_only_what_is_not_held_is_published_and_its_nonce_is_spent(a_class, tmp_path):
    before = current_run(tmp_path)
    assert current_run(tmp_path) == before
    found = a_class(ada={}, bob={}, eve=None, tim=Failure("refused", "no zip"))
    decisions = Decisions(None, {}, {"bob": Hold("ann", "why")})
    rows = rows_of(found, tmp_path, decisions)
    target = tmp_path / "out"
    publication.check(found, rows, tmp_path / "marks", [])
    (target / "bob").mkdir(parents=True)  # once he was not held
    (target / "bob" / "report.html").touch()
    became = publication.publish(rows, tmp_path, target)
    assert became == {
        "with a page": ["ada"],
        "held": ["bob"],
        "missing": ["eve"],
        "refused": ["tim"],
    }
    assert not (target / "bob").exists()
    left = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert left == {"marks.csv", "ada/report.html", "ada/results.json"}
    assert (target / "marks.csv").read_text() == "id,points\nada,8.0\n"
    for path in left:
        assert CANARY not in (target / path).read_text(), "what only staff may see"
    assert current_run(tmp_path).nonce != before.nonce


def test_nothing_is_published_while_something_is_not_decided(a_class, tmp_path):
    folder = tmp_path / "marks"
    found = a_class(ada={}, bob=Failure("fault", "fire"), eve={})
    rows = rows_of(found, tmp_path, but=["eve"])
    with pytest.raises(publication.NotReady, match=r"not graded, .*: bob, eve;"):
        publication.check(found, rows, folder, [])
    overrides = {("eve", ""): Override(5.0, "tim", "why")}
    decided = Decisions(None, overrides, {"bob": Hold("ann", "why")})
    rows = rows_of(found, tmp_path, decided, but=["eve"])
    publication.check(found, rows, folder, [])
    with pytest.raises(publication.NotReady, match="something new of ada, bob"):
        publication.check(found, rows, folder, ["ada", "bob"])
    found.unmatched.append((Path("x.zip"), "?"))
    with pytest.raises(publication.NotReady, match=r"whose it is: x\.zip"):
        publication.check(found, rows, folder, [])


def test_what_is_published_has_the_mark_and_why(a_class, tmp_path):
    deadlines = Deadlines(due=DUE - timedelta(days=1), per_day=0.5)
    overrides = {
        ("ada", "gather"): Override(4.0, "tim", "secret reason"),
        ("bob", ""): Override(70.0, "tim", "secret reason"),
    }
    rows = rows_of(a_class(ada={}, bob={}), tmp_path, Decisions(deadlines, overrides))
    assert "(above the 10 that there are)" in rows[1].settled[-1]
    publication.publish(rows, tmp_path / "marks", tmp_path / "out")
    for row, mark, why in (
        (rows[0], 4.5, "8 by the tests; 4 for gather as staff decided; 1 day late, minus 50%."),
        (rows[1], 70.0, "8 by the tests; 1 day late, minus 50%; 70 as staff decided."),
    ):
        place = tmp_path / "out" / row.student.id
        results = json.loads((place / "results.json").read_text())
        page = (place / "report.html").read_text()
        assert results["score"] == mark
        for text in (results["output"], page):
            assert f"Your mark is {points(mark)}: {why}" in text
            assert "secret" not in text
        assert f"{row.student.id} of x" in page, "its student's name, and no file's"


def test_a_grade_of_other_files_is_no_mark(a_class, tmp_path):
    (row,) = rows_of(a_class(ada={}), tmp_path, but=["ada"])
    assert (row.status, row.final) == ("waiting", None)


def test_time_that_staff_know_counts(a_class, tmp_path):
    found = a_class(ada={}, bob={})
    for one in ("ada", "bob"):
        found.counted[one] = HandIn(Path(f"{one}.zip"), ())
    deadlines = Deadlines(due=DUE, per_day=0.5)
    times = {"bob": DUE + timedelta(days=1)}
    found.students["zoe"], found.undecided = Student("zoe"), {"zoe"}
    ada, bob, zoe = rows_of(found, tmp_path, Decisions(deadlines, {}, {}, times))
    assert zoe.status == "undecided"
    assert (ada.final, ada.untimed) == (8.0, True)
    assert (bob.final, bob.untimed) == (4.0, False)
    page = attention.text(found, [ada, bob], tmp_path)
    assert "## 1 student without a time, so not charged for lateness\n\nada\n" in page
    found.counted["bob"] = HandIn(Path("bob.zip"), (), late=True)
    ada, *_ = rows_of(found, tmp_path, Decisions(deadlines))
    assert not ada.untimed, "the platform says who is late"


def test_only_staff_may_read_a_grade(a_class, tmp_path):
    a_class(ada={})
    (file,) = tmp_path.rglob("grade.json.gz")
    assert file.stat().st_mode & 0o077 == 0


def test_points_for_what_was_not_measured_count_with_their_maximum(a_class, tmp_path):
    """As those of a race that staff decide"""
    raced = exercise("gather", 1.0, 4.0, measured=False), exercise("mfu", 5.0, 6.0)
    found = a_class(ada={"score": 5.0, "max_score": 6.0, "exercises": raced})
    overrides = {("ada", "gather"): Override(3.0, "tim", "I saw it")}
    (ada,) = rows_of(found, tmp_path, Decisions(None, overrides))
    assert (ada.score, ada.max_score, ada.final) == (8.0, 10.0, 8.0)


def test_points_that_are_measured_no_more_are_a_change(a_class, tmp_path):
    """As those of races, when all runs again where there is no device"""
    found = a_class(ada={})
    alone = {"score": 5.0, "max_score": 6.0, "exercises": (exercise("mfu", 5.0, 6.0),)}
    a_class(ada=alone)
    assert marks.write_changes(rows_of(found, tmp_path), tmp_path) == 1
    assert "ada,ada of x,gather,3.0,,,5.0" in (tmp_path / "changes.csv").read_text()
