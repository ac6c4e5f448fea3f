"""results.json, as Gradescope documents it."""

from typing import Any, Literal

import msgspec
import pytest

from grader.causes import Cause
from grader.results.gradescope import NoScoreError, to_gradescope
from grader.results.record import Grade, ModuleReport
from tests.harness.results.example_grade import check, exercise, grade

Format = Literal["text", "html", "simple_format", "md", "ansi"]
Seen = Literal["hidden", "after_due_date", "after_published", "visible"]


class GradescopeTest(msgspec.Struct, forbid_unknown_fields=True):
    """A test, as Gradescope documents it."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    score: float | msgspec.UnsetType = msgspec.UNSET
    max_score: float | msgspec.UnsetType = msgspec.UNSET
    status: Literal["passed", "failed"] | msgspec.UnsetType = msgspec.UNSET
    name_format: Format | msgspec.UnsetType = msgspec.UNSET
    number: str | msgspec.UnsetType = msgspec.UNSET
    output: str | msgspec.UnsetType = msgspec.UNSET
    output_format: Format | msgspec.UnsetType = msgspec.UNSET
    tags: list[str] | msgspec.UnsetType = msgspec.UNSET
    visibility: Seen | msgspec.UnsetType = msgspec.UNSET
    extra_data: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class GradescopeResults(msgspec.Struct, forbid_unknown_fields=True):
    """results.json, as Gradescope documents it."""

    score: float
    tests: list[GradescopeTest]
    execution_time: float | msgspec.UnsetType = msgspec.UNSET
    output: str | msgspec.UnsetType = msgspec.UNSET
    output_format: Format | msgspec.UnsetType = msgspec.UNSET
    test_output_format: Format | msgspec.UnsetType = msgspec.UNSET
    test_name_format: Format | msgspec.UnsetType = msgspec.UNSET
    visibility: Seen | msgspec.UnsetType = msgspec.UNSET
    stdout_visibility: Seen | msgspec.UnsetType = msgspec.UNSET
    extra_data: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    leaderboard: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


def read_gradescope(of: Grade) -> GradescopeResults:
    return msgspec.json.decode(to_gradescope(of), type=GradescopeResults)


def test_gradescope_has_documented_fields_only_and_totals_that_agree():
    of = grade()
    results = read_gradescope(of)
    assert results.score == of.score == 3.5
    assert results.execution_time is msgspec.UNSET  # optional; it would tell how long tests slept
    assert results.extra_data["isolation_tier"] == "B"
    assert [test.number for test in results.tests] == ["1.1", "2.1", "2.2", "2.3", "3.1"]
    # Gradescope shows a total only if every test is visible.
    assert {test.visibility for test in results.tests} == {results.visibility} == {"visible"}
    scored = [test for test in results.tests if test.score is not msgspec.UNSET]
    assert sum(test.score for test in scored) == of.score
    assert sum(test.max_score for test in scored) == of.max_score
    assert [test.status for test in scored] == ["passed", "failed", "failed", "failed"]
    assert read_gradescope(grade(score=2 / 3)).score == 2 / 3  # it is not rounded


def test_a_further_exercise_has_no_score_so_that_the_parts_add_up():
    of = grade(exercises=(exercise("done", 2, 2), exercise("half", 1.5, 4, core=False)), score=2)
    results = read_gradescope(of)
    done, half = results.tests
    assert (done.score, half.score, half.status) == (2, msgspec.UNSET, "failed")
    assert half.name == "half: About half (further)"
    assert "2 of 12 points, further: 1.5 of 4; 1 of 2 exercises complete." in results.output


def test_gradescope_lists_the_checks_of_an_exercise():
    half = next(test for test in read_gradescope(grade()).tests if test.name.startswith("half"))
    assert half.output == (
        "✗ 2. An offset is added (0 / 1)\n"
        "    The answer is not the expected one.\n"
        "✗ 3. A rule of half (0 / 1)\n"
        "    An exception came from the code, from its annotations, or from the use of its result: "
        "ZeroDivisionError.\n"
        "○ 4. No offset is refused (0 / 1)\n"
        "    Open: a result in it is wrong, perhaps only by check 2's mistake.\n"
        "✗ 5. A rule of half (public)\n"
        "    The answer is not the expected one.\n"
        "    expected: (12, 4, 1)\n"
        "✓ 1 check passed\n"
        "\n"
        "A public test fails for another input: Any `x` of [half] <b>\n"
        "See it at home: make test EX=half SEED=17\n"
        "\n"
        "Hint for the exercise: Think of half."
    )


def test_gradescope_shows_a_text_that_all_checks_share_once():
    checks = tuple(check("half", "failed", Cause.WRONG_ANSWER) for _ in range(3))
    of = grade(checks=checks, exercises=(exercise("half", 0, 1),))
    output = read_gradescope(of).tests[0].output
    assert output.count(Cause.WRONG_ANSWER.words) == 1
    assert [line for line in output.split("\n") if "A rule of half" in line] == [
        f"✗ {number}. A rule of half (0 / 1)" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("state", "cause", "number", "shown", "line"),
    [
        (
            "failed",
            Cause.NOT_STARTED,
            1,
            "",
            f"{Cause.NOT_STARTED.words} Hint for the exercise: Think of new.",
        ),
        (
            "failed",
            Cause.NOT_STARTED,
            3,
            "",
            f"{Cause.NOT_STARTED.words} Hint for the exercise: Think of new.",
        ),
        (
            *("not_run", Cause.NEEDS_CUDA, 3, ""),
            f"Not measured here: 5 points left out. {Cause.NEEDS_CUDA.words}",
        ),
    ],
)
def test_gradescope_has_one_line_for_an_exercise_that_did_not_run(
    state, cause, number, shown, line
):
    """With public checks and without"""
    checks = [check("new", state, cause) for _ in range(number)]
    checks[0] = msgspec.structs.replace(checks[0], visibility="public", shown=shown)
    one = exercise("new", 0, 5, measured=cause is not Cause.NEEDS_CUDA)
    assert read_gradescope(grade(checks=tuple(checks), exercises=(one,))).tests[0].output == line


def test_gradescope_gets_no_results_without_a_score():
    with pytest.raises(NoScoreError, match="alice: no score after a fault of the grader"):
        to_gradescope(grade(score=None))


def test_gradescope_output_stays_under_its_limit_and_keeps_titles_and_hints():
    """Details are cut first, however long the texts of a submission are"""
    long = "é✓\\\n" * 1000
    titles = [f"A rule that is {'quite ' * 8}long, number {n}" for n in range(6)]
    many = grade(
        checks=tuple(
            check(f"e{i}", "failed", Cause.EXCEPTION, visibility="public", shown=long, title=title)
            for i in range(60)
            for title in titles
        ),
        exercises=tuple(exercise(f"e{i}", 0.0, 1.0) for i in range(60)),
        modules=tuple(ModuleReport(module=f"m{i}", ok=False, message=long) for i in range(20)),
        left_out=tuple(f"{i}.txt" for i in range(5000)),
    )
    written = to_gradescope(many)
    assert 10_000 < len(written) < 100_000
    results = msgspec.json.decode(written, type=GradescopeResults)
    assert len(results.tests) == 60
    for i, test in enumerate(results.tests):
        wanted = [f"✗ {number}. {title} (public)" for number, title in enumerate(titles, 1)]
        assert [line for line in test.output.split("\n") if line.startswith("✗")] == wanted
        step = f"See it at home: `make test EX=e{i}`"
        assert test.output.endswith(f"Hint for the exercise: Think of e{i}.\n{step}")
    assert "3.5 of 12 points" in results.output
    assert "Isolation: tier B" in results.output
    assert "could not be imported:\n    é✓" in results.output
    assert "There is no room for messages" not in results.output
    crowded = to_gradescope(msgspec.structs.replace(many, checks=2 * many.checks))
    assert "There is no room for messages" in msgspec.json.decode(crowded)["output"]
