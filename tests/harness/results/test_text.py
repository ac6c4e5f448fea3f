"""Text that a submission wrote does no harm in any output."""

import msgspec

from grader.causes import Cause
from grader.results.record import ModuleReport
from grader.results.text import clean, points, printable
from tests.harness.results.example_grade import check, every_output, exercise, grade


def test_points_have_at_most_two_decimals():
    written = [points(value) for value in (3.0, 2.5, 2 / 3, 0.0, 100.0)]
    assert written == ["3", "2.5", "0.67", "0", "100"]


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
    (failure,) = grade().further.failures
    failures = (msgspec.structs.replace(failure, title=HOSTILE),)
    text = render(
        grade(
            further=msgspec.structs.replace(grade().further, failures=failures),
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


@every_output
def test_name_of_a_file_begins_no_line(render):
    """A line that begins with another program's words could be taken for that program's"""
    for name in ("a\nUsage: x", "a\x85Usage: x", "a\u2028Usage: x", "a\r\n\x1b]0;t\x07Usage: x"):
        module = ModuleReport(module="m", ok=False, message="m", file=name, line=1)
        text = render(grade(submission=name, modules=(module,), left_out=(name,)))
        assert "a Usage: x" in text
        assert not any(line.lstrip().startswith("Usage") for line in text.splitlines())


def test_printable_keeps_letters_of_all_scripts_and_the_number_of_characters():
    assert printable("naïve 日本 ✓") == "naïve 日本 ✓"
    hostile = "\x1b]0;t\x07\n\r\t\x9b\u2028\u202e\ud800\x85\x7f"
    assert printable(hostile) == "?]0;t??????????"


def test_terminal_sequences_are_removed_completely():
    assert clean("a\x1b[1;31mb\x1b[0mc") == "abc"
    assert clean("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x07b") == "alinkb"
    assert clean("a\x1b]0;never closed\nnext line stays") == "a\nnext line stays"
    assert clean("one\r\ntwo\rthree\u2028four") == "one\ntwo\nthree\nfour"
    assert clean("tab\tand × – ✓ é stay") == "tab\tand × – ✓ é stay"


def test_long_text_is_cut_and_says_so():
    assert clean("x" * 100, limit=10) == "x" * 10 + " … (cut)"
    assert clean("\x1b[0m" * 9 + "x" * 9, limit=10) == "x" * 4 + " … (cut)"
    assert len(clean("\x1b[0m" * 10**6)) < 10_000
