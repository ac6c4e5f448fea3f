"""What students see of a grade, in every output, and what they must not see."""

import builtins

import msgspec
import pytest

from grader.causes import Cause
from grader.results.html import to_html
from grader.results.record import Isolation, to_json
from grader.results.student import report
from tests.harness.conftest import REPOSITORY
from tests.harness.results.example_grade import (
    CANARY,
    PUBLIC,
    STUDENT_OUTPUTS,
    check,
    console,
    every_output,
    exercise,
    grade,
    student_text,
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
        seconds=99.9,
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
def test_a_failure_with_a_further_seed_is_shown_with_its_command(render):
    assert "another input" in render(grade())
    assert "make test EX=half SEED=17" in render(grade())
    assert "SEED" not in render(grade(further=None))
    done = (check("half"), check("half", visibility="public"))
    of = grade(checks=done, exercises=(exercise("half", 4.0, 4.0),))
    assert "SEED" not in render(of), "nothing is to correct"


@every_output
def test_text_of_a_further_seed_is_cleaned_and_no_message_is_in_it(render):
    (failure,) = grade().further.failures
    odd = msgspec.structs.replace(failure, title="A \x1b[31mred\x1b[0m\x07 rule", detail=CANARY)
    of = grade(further=msgspec.structs.replace(grade().further, failures=(odd,), fault=CANARY))
    assert "A red rule" in render(of)
    assert CANARY not in render(of)


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


def exception_words(name, visibility="hidden"):
    failed = check("a", "failed", Cause.EXCEPTION, exception=name, visibility=visibility, shown="")
    return student_text(failed)


@pytest.mark.parametrize("visibility", ["hidden", "public"])
def test_only_builtin_exceptions_are_named(visibility):
    named = "The code raised an exception: IndexError."
    assert exception_words("IndexError", visibility) == named
    for name in (CANARY, "print", "int", "", None):
        assert exception_words(name, visibility) == "The code raised an exception."


def test_a_hidden_check_names_few_exceptions():
    """A submission chooses what it raises: each class is a letter of a message about an input"""
    builtin = [name for name, kind in vars(builtins).items() if isinstance(kind, type)]
    assert len({exception_words(name) for name in builtin}) == 1 + 5
    assert exception_words("BufferError") == exception_words(None)
    assert exception_words("BufferError", "public") == "The code raised an exception: BufferError."


def test_a_hidden_check_has_few_texts():
    """grader/README.md gives this number"""
    # These need a device, another check that fails, or a fault of the grader.
    not_chosen = {
        Cause.NEEDS_WORK,
        Cause.PREREQUISITE,
        Cause.NEEDS_CUDA,
        Cause.TOO_SLOW,
        Cause.NOT_MEASURED,
        Cause.SUSPICIOUS,
        Cause.GRADER_FAULT,
    }
    texts = {student_text(check("a"))}
    for cause in set(Cause) - not_chosen:
        for exception in (None, *vars(builtins)):
            texts.add(student_text(check("a", "failed", cause, exception=exception)))
    assert len(texts) == 20
    assert f"one of {len(texts)} texts" in (REPOSITORY / "grader/README.md").read_text()


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
