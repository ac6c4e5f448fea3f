"""What students see of a grade, in every output, and what they must not see."""

import builtins
import math

import pytest

from assignment import manifest
from grader.causes import Cause
from grader.judge.session import collected
from grader.judge.verdict import UNMEASURED_CAUSES
from grader.results.html import to_html
from grader.results.record import Isolation
from grader.results.student import causes_of, report, roots_of
from tests.harness.classroom.fakes import provenance
from tests.harness.conftest import REPOSITORY
from tests.harness.results.example_grade import (
    CANARY,
    STUDENT_OUTPUTS,
    check,
    console,
    every_output,
    exercise,
    grade,
    student_text,
)

MANIFEST = manifest.load()
# These need a device, another check that fails, or a fault of the grader.
NOT_OF_THE_SUBMISSION = {
    *(Cause.NEEDS_WORK, Cause.TOO_SLOW, Cause.SUSPICIOUS, Cause.GRADER_FAULT),
    *UNMEASURED_CAUSES,
}

# --- what a student sees ------------------------------------------------------


@every_output
def test_a_failure_with_a_further_seed_is_shown_with_its_command(render):
    assert "another input" in render(grade())
    assert "make test EX=half SEED=17" in render(grade())
    assert "SEED" not in render(grade(further=None))
    done = (check("half"), check("half", visibility="public"))
    of = grade(checks=done, exercises=(exercise("half", 4.0, 4.0),))
    assert "SEED" not in render(of), "nothing is to correct"


def test_cases_of_a_hidden_test_are_numbered():
    """Their parameters stay hidden: `test_feedback.py`"""
    cases = tuple(check("half", name=f"test_rule[{size}]") for size in (1023, 1024))
    of = grade(checks=cases, exercises=(exercise("half", 0.0, 4.0),))
    assert [c.name for c in report(of).exercises[0].checks] == ["test_rule[1]", "test_rule[2]"]


def exception_words(name, visibility="hidden"):
    failed = check("a", "failed", Cause.EXCEPTION, exception=name, visibility=visibility, shown="")
    return student_text(failed)


@pytest.mark.parametrize("visibility", ["hidden", "public"])
def test_only_builtin_exceptions_are_named(visibility):
    words = Cause.EXCEPTION.words.removesuffix(".")
    assert exception_words("IndexError", visibility) == f"{words}: IndexError."
    assert ("BufferError" in exception_words("BufferError", visibility)) == (visibility == "public")
    for name in (CANARY, "print", "int", "", None):
        assert exception_words(name, visibility) == f"{words}."


def test_an_exception_of_a_refusal_may_be_of_the_wrong_class():
    """A student who raised another one would say that it is refused"""
    for title, is_said in (("nan is refused", True), ("nan is counted", False)):
        one = check("a", "failed", Cause.EXCEPTION, exception="KeyError", title=title)
        assert ("a refusal is of another class than" in student_text(one)) == is_said
        assert ": KeyError." in student_text(one)


def test_a_hidden_check_has_few_texts():
    """A submission chooses how it fails: each text is a letter of a message about an input"""
    causes = set(Cause) - NOT_OF_THE_SUBMISSION
    failed = [check("a", "failed", c, exception=e) for c in causes for e in (None, *vars(builtins))]
    value = check("a", "open", Cause.WRONG_ANSWER, waits_for=1)
    texts = {student_text(one) for one in (check("a"), value, *failed)}
    assert len(texts) == 23
    readme = " ".join((REPOSITORY / "grader/README.md").read_text().split())
    ways = len(causes)  # an exception is none of them, but a wrong value is one
    assert f"one of {len(texts)} texts: it passes, or fails in one of {ways} other ways" in readme
    assert f"That is {math.log2(len(texts)):.1f} bits a check" in readme
    with collected(MANIFEST, REPOSITORY, ("hidden",)) as session:
        checks = sum(not test.exercise.needs for test in session.tests)
    told = f"{checks * math.log2(len(texts)) / 8:.0f} bytes in the {checks} checks that need no"
    assert told in readme


# --- what every output must show --------------------------------------------------------


LEFT_OUT = "Not measured here, and left out of the total: on_gpu (5 points)."
NOTICES = {
    "the tier": ({"isolation": Isolation(tier="tier-x", probes={})}, "tier-x", 1),
    "missing isolation": ({"isolation": Isolation(tier="none", probes={})}, "UNSAFE", 2),
    "public tests alone": ({"tests": "public"}, "Public tests only", 1),
    "exercises not measured": ({}, LEFT_OUT, 1),
}


@every_output
@pytest.mark.parametrize(("fields", "words", "times"), NOTICES.values(), ids=NOTICES)
def test_every_output_tells(render, fields, words, times):
    text = " ".join(render(grade(**fields)).split())
    assert text.count(words) >= times
    assert "of 12 points" in text or "12.0" in text
    assert not fields or words not in render(grade())


@pytest.mark.parametrize("render", [to_html, console])
def test_further_exercises_are_marked_and_stand_beside_the_total(render):
    shares = [("done", 2, 2), ("half", 1.5, 4, "strides"), ("untouched", 0, 3)]
    found = [exercise(*share, core=share[0] == "done") for share in shares]
    found.append(exercise("on_gpu", 0, 5, measured=False, core=False))
    text = " ".join(render(grade(exercises=tuple(found))).split())
    assert "1.5 of 7" in text
    assert text.count("further") >= 3
    assert "Not measured here of the further exercises: on_gpu (5 points)." in text
    assert "left out of the total" not in text
    (chapter,) = [c for c in report(grade(exercises=tuple(found))).chapters if c.name == "strides"]
    assert (chapter.points, chapter.max_points) == (2, 2)


@pytest.mark.parametrize("render", [to_html, STUDENT_OUTPUTS["junit.xml"], console])
def test_a_fault_of_the_grader_is_no_zero(render):
    text = " ".join(render(grade(score=None, faults=("worker pool broke",))).split())
    assert "This is not a zero." in text
    assert "had 1 internal fault;" in text
    assert "worker pool broke" not in text


def test_report_has_the_status_of_each_exercise_and_what_was_measured_of_a_chapter():
    """Hints are only where points are missing"""
    assert {e.id: (e.status, bool(e.hint)) for e in report(grade()).exercises} == {
        "done": ("complete", False),
        "half": ("partly", True),
        "untouched": ("not started", True),
        "builds_on_it": ("failed", True),
        "on_gpu": ("not measured", False),
    }
    hints = {e.id: e.hint for e in report(grade()).exercises}
    assert hints["builds_on_it"].startswith(
        "It may build on the exercise `untouched`, which is not right yet. "
    )
    chapters = {c.name: (c.points, c.max_points) for c in report(grade()).chapters}
    assert chapters == {"dtypes": (2.0, 2.0), "strides": (1.5, 10.0), "precision": (0, 0)}


@pytest.mark.parametrize("render", [to_html, STUDENT_OUTPUTS["results.json"], console])
def test_points_of_each_check_are_shown(render):
    checks = (check("half", points=0.34, max_points=0.34), check("half", "failed", max_points=0.66))
    text = render(grade(checks=checks, exercises=(exercise("half", 0.34, 1.0),)))
    assert "0 / 0.66" in text


@pytest.mark.parametrize(
    ("public", "rules", "said"),
    [
        ("failed", (), "See it at home: `make test EX=half`"),
        ("passed", (), "Your public tests pass: what fails is tested by the grader alone."),
        ("passed", ("large sizes",), "by the grader alone, for example: large sizes."),
        (None, (), ""),
    ],
)
def test_a_command_is_named_only_where_it_shows_the_failure(public, rules, said):
    checks = [check("half", "failed", Cause.WRONG_ANSWER)]
    if public:
        checks.append(check("half", public, visibility="public", shown=""))
    scores = (exercise("half", 0.0, 4.0, grader_only=rules),)
    of = grade(checks=tuple(checks), exercises=scores, further=None)
    (one,) = report(of).exercises
    assert one.next_step.endswith(said)
    assert bool(one.next_step) == bool(said)


@every_output
def test_every_output_says_where_it_was_graded(render):
    """A syntax error may be one for an older Python alone"""
    where = provenance("", python="3.11.7", torch="2.13.0", grader="0.1.0")
    text = " ".join(render(grade(provenance=where)).split())
    assert "Python 3.11.7, torch 2.13.0, grader 0.1.0" in text
    assert "was never closed" in text
    assert "The grader has Python 3.11.7." in text


def test_what_an_exercise_builds_on_is_followed_through_all_but_stubs():
    """Also where a public check alone is wrong, and through exercises that are complete"""
    scores = {
        one.id: one
        for one in (
            exercise("root", 0.5, 1.0),
            exercise("fine", 1.0, 1.0, builds_on=("root",)),
            exercise("between", 0.0, 1.0, builds_on=("root", "fine")),
            exercise("raced", 0.0, 1.0, measured=False),
            exercise("top", 0.0, 1.0, builds_on=("between", "fine", "raced", "elsewhere")),
        )
    }
    checks = [
        check("root", "failed", Cause.WRONG_ANSWER, visibility="public"),
        check("fine"),
        check("between", "failed", Cause.WRONG_ANSWER),
        check("raced", "not_run", Cause.NEEDS_CUDA),
    ]
    found = {name: roots_of(one, scores, causes_of(checks)) for name, one in scores.items()}
    top = ["root", "between"]
    assert found == {"root": [], "raced": [], "fine": top[:1], "between": top[:1], "top": top}
    checks[2] = check("between", "failed", Cause.NOT_STARTED)
    assert roots_of(scores["top"], scores, causes_of(checks)) == ["between", "root"]


@every_output
def test_a_module_that_cannot_be_imported_is_said_once(render):
    broken = tuple(check("half", "failed", Cause.IMPORT_FAILED) for _ in range(3))
    text = " ".join(render(grade(checks=broken, exercises=(exercise("half", 0, 4.0),))).split())
    assert "was never closed" in text
    assert text.count("Look here first") == 0
    if "testsuite" not in text:
        assert text.count("could not be imported: the top") <= 1


def test_what_builds_on_an_exercise_that_is_named_is_not_named_first():
    """Its own code may be right. One whose public checks alone pass is not partly done"""
    checks = [
        *(check("root", state, Cause.WRONG_ANSWER) for state in ("failed", "failed")),
        *(check("top", state, Cause.WRONG_ANSWER) for state in ("failed", "failed")),
        check("root", "passed", visibility="public"),
    ]
    scores = (exercise("top", 0.0, 2.0, builds_on=("root",)), exercise("root", 0.0, 1.0))
    shown = report(grade(checks=tuple(checks), exercises=scores))
    assert [one.id for one in shown.look_first] == ["root"]
    assert {one.id: one.status for one in shown.exercises} == {"top": "failed", "root": "failed"}
