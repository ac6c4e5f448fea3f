"""Renderers: what each output shows of a grade, and what students must not see."""

import io
import json
import os
import stat
import xml.etree.ElementTree as ET
from typing import Any, Literal

import msgspec
import pytest
from rich.console import Console

from grader.results import write
from grader.results.causes import WORDS, Cause
from grader.results.console import summary
from grader.results.gradescope import NoScoreError, to_gradescope
from grader.results.html import to_html
from grader.results.junit import to_junit
from grader.results.record import (
    Check,
    ExerciseScore,
    Grade,
    Isolation,
    ModuleReport,
    from_json,
    to_json,
)
from grader.results.student import report, student_text
from grader.results.text import clean, points

CANARY = "canary-7f3a"
PUBLIC = "expected: (12, 4, 1)"


def check(exercise: str, state: str = "passed", cause: Cause | None = None, **fields: Any) -> Check:
    """A hidden check; the fields that only staff may see hold the canary."""
    name = fields.pop("name", "test_rule")
    defaults: dict[str, Any] = {
        "test": f"tests/hidden/test_{exercise}.py::{name}",
        "title": f"A rule of {exercise}",
        "points": 1.0 if state == "passed" else 0.0,
        "max_points": 1.0,
        "detail": f"{CANARY} AssertionError: assert 17 == 23",
        "seconds": 0.777,
    }
    return Check(exercise=exercise, state=state, cause=cause, **(defaults | fields))


def exercise(name: str, got: float, of: float, chapter: str = "strides", **fields: Any):
    fields = {"title": f"About {name}", "measured": True, "hint": f"Think of {name}."} | fields
    return ExerciseScore(id=name, chapter=chapter, points=got, max_points=of, **fields)


def grade(**fields: Any) -> Grade:
    """The grade of a half-finished submission, with every kind of check."""
    failed, waits = "failed", "not_run"
    defaults: dict[str, Any] = {
        "submission": "alice",
        "score": 3.5,
        "max_score": 12.0,
        "isolation": Isolation(tier="B", probes={"read": f"{CANARY} refused"}),
        "nonce": CANARY,
        "tests": "all",
        "checks": (
            check("done", name="test_one"),
            check("done", name="test_two"),
            check("half"),
            check("half", failed, Cause.WRONG_ANSWER, title="An offset is added"),
            check("half", failed, Cause.EXCEPTION, exception="ZeroDivisionError"),
            check(
                "half", failed, Cause.WRONG_ANSWER, visibility="public", shown=PUBLIC, seconds=0.25
            ),
            check("untouched", failed, Cause.NOT_STARTED),
            check("untouched", failed, Cause.NOT_STARTED),
            check("waiting", waits, Cause.PREREQUISITE),
            check("on_gpu", waits, Cause.NEEDS_CUDA),
        ),
        "exercises": (
            exercise("done", 2.0, 2.0, "dtypes"),
            exercise("half", 1.5, 4.0),
            exercise("untouched", 0.0, 3.0),
            exercise("waiting", 0.0, 3.0),
            exercise("on_gpu", 0.0, 5.0, "precision", measured=False),
        ),
        "modules": (
            ModuleReport(module="dtypes", ok=True),
            ModuleReport(
                module="strides",
                ok=False,
                message="SyntaxError: <script>alert('hi')</script> was never closed",
                file="resource_accounting/strides.py",
                line=12,
            ),
        ),
        "left_out": ("conftest.py", "notes/[bold]plan[/bold].txt"),
        "started": "2026-01-02T03:04:05+00:00",
        "seconds": 8.123,
        "version": "0.1.0",
    }
    return Grade(**(defaults | fields))


def console(of: Grade, *, width: int = 80, staff: bool = False) -> str:
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(summary(of, staff=staff))
    return file.getvalue()


def gradescope(of: Grade) -> str:
    """The strings of results.json as a student reads them, without JSON's escapes."""
    return json.dumps(json.loads(to_gradescope(of)), ensure_ascii=False)


STUDENT_OUTPUTS = {
    "results.json": gradescope,
    "report.html": to_html,
    "junit.xml": lambda of: to_junit(of).decode(),
    "console": console,
}
every_output = pytest.mark.parametrize("render", STUDENT_OUTPUTS.values(), ids=STUDENT_OUTPUTS)


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
        assert student_text(one) == student_text(two) == WORDS[cause]


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
    assert student_text(public) == f"{WORDS[Cause.WRONG_ANSWER]}\n{PUBLIC}"


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


def test_points_have_at_most_two_decimals():
    written = [points(value) for value in (3.0, 2.5, 2 / 3, 0.0, 100.0)]
    assert written == ["3", "2.5", "0.67", "0", "100"]


# --- text that a submission wrote ---------------------------------------------

HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07bell\x07 \x9b2Jgone \x1bcreset \x00null \x08back "
    "\ud800half \ufffe\uffff \u202eturned \x85next ]]> <b>&amp;</b> {{ 1234*3 }} [red]markup[/red]"
)


@every_output
def test_no_control_character_reaches_an_output(render):
    hostile = (
        ModuleReport(module=f"m{HOSTILE}", ok=False, message=HOSTILE, file=HOSTILE, line=1),
        ModuleReport(module="n", ok=True, message=HOSTILE),
    )
    shown = check("half", "failed", Cause.WRONG_ANSWER, visibility="public", shown=HOSTILE)
    text = render(
        grade(
            submission=HOSTILE,
            modules=hostile,
            left_out=(HOSTILE,),
            checks=(shown,),
            exercises=(exercise("half", 0.0, 4.0),),
        )
    )
    text.encode("utf-8")
    bad = {c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0}
    assert bad == set()
    assert not set("\u202e\ufffe\uffff") & set(text)
    assert "[31m" not in text
    assert "3702" not in text  # no template ran in a message


def test_terminal_sequences_are_removed_completely():
    assert clean("a\x1b[1;31mb\x1b[0mc") == "abc"
    assert clean("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x07b") == "alinkb"
    assert clean("a\x1b]0;never closed\nnext line stays") == "a\nnext line stays"
    assert clean("one\r\ntwo\rthree\u2028four") == "one\ntwo\nthree\nfour"
    assert clean("tab\tand × – ✓ é stay") == "tab\tand × – ✓ é stay"


def test_long_text_is_cut_and_says_so():
    assert clean("x" * 100, limit=10) == "x" * 10 + " … (cut)"
    assert len(clean("\x1b[0m" * 10**6)) < 10_000


def test_html_escapes_what_a_submission_wrote():
    page = to_html(grade())
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#39;hi&#39;)&lt;/script&gt; was never closed" in page


def test_html_fetches_nothing():
    page = to_html(grade())
    assert "default-src 'none'" in page
    for outside in ("http:", "https:", "src=", "<link", "url(", "@import"):
        assert outside not in page


def test_console_ignores_markup_of_a_submission():
    assert "notes/[bold]plan[/bold].txt" in console(grade())


# --- each format --------------------------------------------------------------

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


def test_gradescope_has_documented_fields_only():
    results = read_gradescope(grade())
    assert results.score == 3.5
    assert results.execution_time == 9  # whole seconds
    assert results.extra_data["isolation_tier"] == "B"
    assert [test.number for test in results.tests] == ["1.1", "2.1", "2.2", "2.3", "3.1"]


def test_gradescope_shows_every_test_and_so_the_total():
    results = read_gradescope(grade())
    assert {test.visibility for test in results.tests} == {results.visibility} == {"visible"}


def test_gradescope_totals_agree():
    of = grade()
    scored = [test for test in read_gradescope(of).tests if test.score is not msgspec.UNSET]
    assert sum(test.score for test in scored) == of.score
    assert sum(test.max_score for test in scored) == of.max_score
    assert [test.status for test in scored] == ["passed", "failed", "failed", "failed"]


def test_gradescope_score_is_not_rounded():
    assert read_gradescope(grade(score=2 / 3)).score == 2 / 3


def test_gradescope_lists_the_checks_of_an_exercise():
    half = next(test for test in read_gradescope(grade()).tests if test.name.startswith("half"))
    assert half.output == (
        "✓ A rule of half\n"
        "✗ An offset is added\n"
        "    The answer is not the expected one.\n"
        "✗ A rule of half\n"
        "    The code raised an exception: ZeroDivisionError.\n"
        "✗ A rule of half (public)\n"
        "    The answer is not the expected one.\n"
        "    expected: (12, 4, 1)\n"
        "\n"
        "Hint: Think of half.\n"
        "Try:  make test EX=half"
    )


def test_gradescope_shows_a_text_that_all_checks_share_once():
    checks = tuple(check("half", "failed", Cause.WRONG_ANSWER) for _ in range(3))
    of = grade(checks=checks, exercises=(exercise("half", 0, 1),))
    output = read_gradescope(of).tests[0].output
    assert output.count(WORDS[Cause.WRONG_ANSWER]) == 1
    assert output.count("✗ A rule of half") == 3


@pytest.mark.parametrize("checks", [1, 3])
def test_gradescope_has_one_line_for_an_exercise_not_started(checks):
    """With its hint, with public checks and without"""
    stub = [check("new", "failed", Cause.NOT_STARTED) for _ in range(checks)]
    stub[0] = msgspec.structs.replace(stub[0], visibility="public", shown="")
    of = grade(checks=tuple(stub), exercises=(exercise("new", 0, 1),))
    assert read_gradescope(of).tests[0].output == (
        "Not started: the stub still raises NotImplementedError. Hint: Think of new."
    )


def test_gradescope_has_one_line_for_an_exercise_that_waits_for_another():
    waits = [check("new", "not_run", Cause.PREREQUISITE) for _ in range(3)]
    waits[0] = msgspec.structs.replace(
        waits[0], visibility="public", shown="storage_index passes no test yet"
    )
    of = grade(checks=tuple(waits), exercises=(exercise("new", 0, 1),))
    assert read_gradescope(of).tests[0].output == (
        f"{WORDS[Cause.PREREQUISITE]} storage_index passes no test yet."
    )


def test_gradescope_has_one_line_for_an_exercise_not_measured():
    checks = tuple(check("raced", "not_run", Cause.NEEDS_CUDA) for _ in range(3))
    of = grade(checks=checks, exercises=(exercise("raced", 0, 5, measured=False),))
    assert read_gradescope(of).tests[0].output == (
        f"Not measured here: 5 points left out. {WORDS[Cause.NEEDS_CUDA]}"
    )


def test_gradescope_gets_no_results_without_a_score():
    with pytest.raises(NoScoreError, match="alice: no score after a fault of the grader"):
        to_gradescope(grade(score=None))


def test_gradescope_output_stays_under_its_limit():
    long = "é✓\\\n" * 5000
    many = grade(
        checks=tuple(
            check(f"e{i}", "failed", Cause.WRONG_ANSWER, visibility="public", shown=long)
            for i in range(100)
        ),
        exercises=tuple(exercise(f"e{i}", 0.0, 1.0) for i in range(100)),
        modules=tuple(ModuleReport(module=f"m{i}", ok=False, message=long) for i in range(20)),
        left_out=tuple(f"{i}.txt" for i in range(5000)),
    )
    data = to_gradescope(many)
    assert 10_000 < len(data) < 100_000
    assert len(read_gradescope(many).tests) == 100


def test_gradescope_cuts_details_before_titles_and_hints():
    """Titles and hints stay, however long the texts of a submission are"""
    long = "é✓\\\n" * 5000
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
    results = read_gradescope(many)
    for i, test in enumerate(results.tests):
        assert all(f"✗ {title}" in test.output for title in titles)
        assert test.output.endswith(f"Hint: Think of e{i}.\nTry:  make test EX=e{i}")
    assert "3.5 of 12 points" in results.output
    assert "Isolation: tier B" in results.output


def test_junit_counts_agree_with_its_testcases():
    suite = ET.fromstring(to_junit(grade())).find("testsuite")
    assert suite.get("tests") == str(len(suite.findall("testcase"))) == "11"
    for count, tag in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
        assert suite.get(count) == str(len(suite.findall(f"testcase/{tag}")))
    assert [suite.get(name) for name in ("failures", "skipped", "errors")] == ["5", "2", "1"]


def test_junit_names_tests_as_pytest_does():
    suite = ET.fromstring(to_junit(grade())).find("testsuite")
    cases = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert cases[:3] == [
        ("", "strides"),
        ("tests.hidden.test_done", "test_one"),
        ("tests.hidden.test_done", "test_two"),
    ]
    assert len(set(cases)) == len(cases)


def test_junit_times_public_checks_only():
    suite = ET.fromstring(to_junit(grade())).find("testsuite")
    assert sorted({case.get("time") for case in suite.findall("testcase")}) == ["0.000", "0.250"]


def test_junit_of_a_broken_module_is_a_collection_error():
    error = ET.fromstring(to_junit(grade())).find("testsuite/testcase/error")
    assert error.get("message") == "collection failure"
    assert error.text.startswith("resource_accounting/strides.py:12\nSyntaxError: <script>")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_console_keeps_to_its_width(width):
    assert max(map(len, console(grade(), width=width).split("\n"))) <= width


def test_console_shows_mistakes_before_stubs():
    text = console(grade())
    assert "Look here first\nhalf  1.5 of 4\n  ✗ An offset is added" in text
    assert "Exercises: 1 not started, 1 not run yet." in text


def test_console_tells_staff_what_the_grader_met():
    of = grade(faults=("worker \x1b[5mpool broke",))
    assert "worker pool broke" in console(of, staff=True)
    assert "pool broke" not in console(of)


# --- the record and its files -------------------------------------------------


def test_the_record_reads_back():
    assert from_json(to_json(grade())) == grade()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_no_record_holds_nan_or_infinity(value):
    with pytest.raises(ValueError, match=r"Grade.score is -?(nan|inf), not a finite number"):
        grade(score=value)
    with pytest.raises(ValueError, match=r"Check.points is"):
        check("a", points=value)
    with pytest.raises(ValueError, match=r"ExerciseScore.max_points is"):
        exercise("a", 0.0, value)


def test_a_file_name_that_is_not_utf8_does_not_stop_the_record():
    of = grade(left_out=("caf\udce9.py",))
    assert json.loads(to_json(of))["left_out"] == ["caf\\udce9.py"]
    assert "caf\ufffd.py" in console(of)


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_all_files_are_written_and_only_staff_reads_the_record(tmp_path):
    old = os.umask(0o077)
    try:
        write.write_all(grade(), tmp_path / "new" / "out")
    finally:
        os.umask(old)
    modes = {path.name: mode(path) for path in (tmp_path / "new" / "out").iterdir()}
    assert modes == {
        "grade.json": 0o600,
        "results.json": 0o644,
        "report.html": 0o644,
        "junit.xml": 0o644,
    }
    assert from_json((tmp_path / "new" / "out" / "grade.json").read_bytes()) == grade()


def test_a_fault_takes_an_older_score_away(tmp_path):
    write.write_all(grade(), tmp_path)
    write.write_all(grade(score=None), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "grade.json",
        "junit.xml",
        "report.html",
    ]


def test_a_crash_leaves_no_half_file_and_no_record(tmp_path, monkeypatch):
    write.write_all(grade(), tmp_path)
    before = (tmp_path / "results.json").read_bytes()
    monkeypatch.setattr(os, "fsync", lambda descriptor: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write.write_all(grade(score=1.0), tmp_path)
    assert (tmp_path / "results.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "junit.xml",
        "report.html",
        "results.json",
    ]


def test_the_record_is_written_last(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(write, "write_atomically", lambda path, *_, **__: written.append(path.name))
    write.write_all(grade(), tmp_path)
    assert sorted(written[:-1]) == ["junit.xml", "report.html", "results.json"]
    assert written[-1] == "grade.json"


def test_a_link_in_the_folder_is_replaced_and_not_followed(tmp_path):
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "grade.json").symlink_to(target)
    (tmp_path / "out" / "results.json").symlink_to(target)
    write.write_all(grade(), tmp_path / "out")
    assert target.read_text() == "mine"
    assert not (tmp_path / "out" / "results.json").is_symlink()
