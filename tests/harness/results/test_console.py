"""The summary in the terminal."""

import pytest

from tests.harness.results.example_grade import console, grade


def test_console_ignores_markup_of_a_submission():
    assert "notes/[bold]plan[/bold].txt" in console(grade())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_console_keeps_to_its_width(width):
    assert max(map(len, console(grade(), width=width).split("\n"))) <= width


def test_console_shows_mistakes_before_stubs():
    text = console(grade())
    assert "Look here first\nbuilds_on_it  0 of 3\n" in text, "the most points to be won"
    assert "half  1.5 of 4\n  ✗ 2. An offset is added" in text
    assert "Exercises: 1 not started." in text


def test_console_tells_staff_what_the_grader_met():
    of = grade(faults=("worker \x1b[5mpool broke",))
    assert "worker pool broke" in console(of, staff=True)
    assert "pool broke" not in console(of)
