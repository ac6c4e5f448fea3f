"""What students see of a grade, in every output, and what they must not see."""

import msgspec
import pytest

from grader.results.causes import Cause
from grader.results.html import to_html
from grader.results.record import Isolation, to_json
from grader.results.student import report, student_text
from tests.harness.results.example_grade import (
    CANARY,
    PUBLIC,
    STUDENT_OUTPUTS,
    check,
    console,
    every_output,
    exercise,
    grade,
)

# --- what a student sees ------------------------------------------------------


@every_output
def test_only_staff_sees_the_detail_of_a_hidden_check(render):
    of = grade(faults=(f"{CANARY} Traceback",), score=3.5)
    assert CANARY not in render(of)
    assert "assert 17" not in render(of)
    assert CANARY in to_json(of).decode()


@every_output
def test_text_of_a_hidden_check_does_not_depend_on_its_detail_and_time(render):
    plain = grade()
    other = msgspec.structs.replace(
        plain,
        nonce="other",
        seconds=8.9,
        checks=tuple(
            c
            if c.visibility == "public"
            else msgspec.structs.replace(c, detail=f"other {i}", seconds=i / 7)
            for i, c in enumerate(plain.checks)
        ),
    )
    assert render(plain) == render(other)


@every_output
def test_the_detail_of_a_public_check_is_shown(render):
    only = (check("half", "failed", Cause.WRONG_ANSWER, visibility="public", shown=PUBLIC),)
    of = grade(checks=only, exercises=(exercise("half", 0.0, 4.0),))
    assert PUBLIC in render(of)


@every_output
def test_parameters_of_a_hidden_test_stay_hidden(render):
    cases = tuple(
        check("half", "failed", Cause.WRONG_ANSWER, name=f"test_rule[{CANARY}-{size}]", title="")
        for size in (1023, 1024)
    )
    of = grade(checks=cases, exercises=(exercise("half", 0.0, 4.0),))
    assert CANARY not in render(of)
    assert "1023" not in render(of)
    assert [c.name for c in report(of).exercises[0].checks] == ["test_rule[1]", "test_rule[2]"]


def test_text_of_a_check_depends_only_on_its_cause():
    for cause in Cause:
        one = check("a", "failed", cause, detail="one", seconds=1.0)
        two = check("a", "failed", cause, detail="two", seconds=2.0, title="Another")
        assert student_text(one) == student_text(two) == cause.words


def test_only_builtin_exceptions_are_named():
    def words(name):
        return student_text(check("a", "failed", Cause.EXCEPTION, exception=name))

    assert words("ZeroDivisionError") == "The code raised an exception: ZeroDivisionError."
    for name in (CANARY, "print", "int", "", None):
        assert words(name) == "The code raised an exception."


def test_a_passed_check_has_no_text():
    assert student_text(check("a")) == ""


def test_a_public_check_adds_its_detail():
    public = check("a", "failed", Cause.WRONG_ANSWER, visibility="public", shown=PUBLIC)
    assert student_text(public) == f"{Cause.WRONG_ANSWER.words}\n{PUBLIC}"


# --- what every output must show --------------------------------------------------------


@every_output
def test_every_output_names_the_tier(render):
    marked = grade(isolation=Isolation(tier="tier-x", probes={}))
    assert "tier-x" in render(marked)


@every_output
def test_every_output_warns_of_missing_isolation(render):
    assert "UNSAFE" not in render(grade())
    assert render(grade(isolation=Isolation(tier="none", probes={}))).count("UNSAFE") >= 2


@every_output
def test_exercises_not_measured_are_named_and_left_out(render):
    text = " ".join(render(grade()).split())
    assert "Not measured here, and left out of the total: on_gpu (5 points)." in text
    assert "of 12 points" in text or "12.0" in text


@every_output
def test_every_output_says_that_only_public_tests_ran(render):
    assert "Public tests only" in render(grade(tests="public"))
    assert "Public tests only" not in render(grade())


@pytest.mark.parametrize("render", [to_html, STUDENT_OUTPUTS["junit.xml"], console])
def test_a_fault_of_the_grader_is_no_zero(render):
    text = " ".join(render(grade(score=None, faults=("worker pool broke",))).split())
    assert "This is not a zero." in text
    assert "had 1 internal fault;" in text
    assert "worker pool broke" not in text


def test_status_of_each_exercise():
    assert {e.id: e.status for e in report(grade()).exercises} == {
        "done": "complete",
        "half": "partly",
        "untouched": "not started",
        "waiting": "not run",
        "on_gpu": "not measured",
    }


def test_hints_only_where_points_are_missing():
    hints = {e.id: e.hint for e in report(grade()).exercises}
    assert [name for name, hint in hints.items() if hint] == ["half", "untouched"]


def test_a_chapter_sums_what_was_measured():
    chapters = {c.name: (c.points, c.max_points) for c in report(grade()).chapters}
    assert chapters == {"dtypes": (2.0, 2.0), "strides": (1.5, 10.0), "precision": (0, 0)}
