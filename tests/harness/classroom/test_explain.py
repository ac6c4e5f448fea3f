"""`grader explain` gives the reason of a mark from the record alone."""

import msgspec
import pytest
from typer.testing import CliRunner

from grader import cli
from grader.causes import Cause
from grader.classroom.explain import explanation, place, reason
from grader.results.record import to_json
from tests.harness.results.example_grade import PUBLIC, check, exercise
from tests.harness.results.example_grade import grade as a_grade

DETAIL = """\
Traceback (most recent call last):
  File "/far/tests/hidden/conftest.py", line 41, in pytest_pyfunc_call
    pyfuncitem.funcargs["later"].check()
  File "/far/tests/hidden/conftest.py", line 62, in check
    one.check(outcome)
    ~~~~~~~~~^^^^^^^^^
assignment.expect.Mismatch: wrong: half(3)
  expected: 1
  found:    2
asked in line 175 of the test's file: half(3)
"""
IN_A_SCENARIO = """\
  File "/far/tests/hidden/test_x.py", line 12, in test_half
    impl.scenarios.halves(3)
KeyError: "KeyError: 3\\n  resource_accounting/x.py:54 in half"
Traceback (most recent call last):
  File "/submission/resource_accounting/x.py", line 54, in half
    raise KeyError(3)
KeyError: 3
"""
FRAME = '  File "/far/tests/hidden/test_x.py", line 12, in test_half\n    half(3)\nKeyError: 3\n'


@pytest.mark.parametrize(
    ("detail", "line", "said"),
    [
        (DETAIL, ":175", DETAIL[DETAIL.index("assignment") :].strip()),
        (FRAME, ":12", "KeyError: 3"),
        (IN_A_SCENARIO, ":12", "resource_accounting/x.py:54 in half\nKeyError: 3"),
        ("half: still the handout's stub", "::test_half", "half: still the handout's stub"),
        ("", "::test_half", ""),
    ],
    ids=["asked later", "a frame", "in a scenario", "not run", "nothing"],
)
def test_reason_and_place_of_a_failure(detail, line, said):
    failed = check("half", "failed", Cause.WRONG_ANSWER, detail=detail)
    failed = msgspec.structs.replace(failed, test="test_x::test_half", visibility="hidden")
    assert place(failed) == f"tests/hidden/test_x.py{line}"
    assert reason(detail) == said


def said(of, exercise=""):
    return "\n".join(line.plain for line in explanation(of, exercise))


def test_what_cost_points_is_explained_and_the_rest_is_a_line():
    lost = check("half", "failed", Cause.WRONG_ANSWER, max_points=2.0, detail=DETAIL)
    new = [check("new", "failed", Cause.NOT_STARTED, max_points=1.0) for _ in range(2)]
    public = check("half", "failed", Cause.WRONG_ANSWER, visibility="public", shown=PUBLIC)
    waits = check("half", "open", Cause.WRONG_ANSWER, waits_for=2)
    scores = (exercise("done", 2.0, 2.0), exercise("half", 2.0, 4.0), exercise("new", 0.0, 2.0))
    of = a_grade(checks=(check("done"), check("half"), lost, public, waits, *new), exercises=scores)
    text = said(of)
    assert "done  2 of 2" in text
    assert "new  0 of 2, not started" in text
    assert text.count("✗") == 1
    assert "○       0 of 1  4. A rule of half\n      Open: perhaps only check 2's mistake." in text
    assert "0 of 2" in text
    assert "found:    2" in text
    assert f"--nonce {of.nonce}" in text
    assert said(of, "half").count("✓") == 1
    assert PUBLIC in said(of, "half").replace("\n        ", "\n")
    odd = msgspec.structs.replace(public, shown="\x1b]0;owned\x07\x1b[2Jtext")
    assert "\x1b" not in said(a_grade(checks=(odd,), exercises=scores), "half")


def test_command_reads_a_record_and_writes_a_page(tmp_path):
    file, page = tmp_path / "grade.json", tmp_path / "page.html"
    file.write_bytes(to_json(a_grade()))
    run = CliRunner()
    done = run.invoke(cli.build_app(), ["explain", str(file), "half", "--html", str(page)])
    assert done.exit_code == 0, done.output
    assert "half  1.5 of 4" in done.output
    assert "half" in page.read_text()
    for arguments in ([str(file), "nosuch"], [str(page)], [str(tmp_path / "gone")]):
        assert run.invoke(cli.build_app(), ["explain", *arguments]).exit_code == 2
