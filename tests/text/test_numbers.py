"""Numbers of the text are computed here, and must stand in the chapters as computed."""

import re

import numpy as np
import pytest

from assignment.figures.training import valley_paths
from grader.authoring import site
from grader.authoring.figures import REFERENCE
from grader.authoring.site import text
from tests.text.numbers_in_problems import ANSWERS
from tests.text.numbers_in_text import TEXT

CHAPTERS = tuple(name for name in text.names() if name != text.INTRODUCTION)


def words(chapter: str) -> str:
    """A chapter's Markdown, with one blank for each run of blanks and line breaks."""
    return " ".join((site.WRITEUP / f"{chapter}.md").read_text(encoding="utf-8").split())


def answers(chapter: str) -> dict[int, str]:
    """The answers of a chapter, by number of the problem."""
    pattern = r"\*\*Problem (\d+)\.\*\*((?:(?!</details>).)*)</details>"
    return {int(number): text for number, text in re.findall(pattern, words(chapter))}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_answers_are_as_computed(chapter):
    solved = answers(chapter)
    for problem, expected in ANSWERS[chapter]():
        assert expected in solved[problem].split("</summary>")[1], f"problem {problem}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_problem_has_an_answer_that_is_computed(chapter):
    asked = [int(n) for n in re.findall(r"\*\*Problem (\d+)\.\*\*", words(chapter))]
    assert len(asked) in (2, 3)
    assert sorted(answers(chapter)) == sorted({n for n, _ in ANSWERS[chapter]()}) == asked


@pytest.mark.parametrize("chapter", TEXT)
def test_numbers_are_as_computed(chapter):
    for expected in TEXT[chapter]():
        assert expected in words(chapter)


def test_optimizers_overshoot_as_the_caption_of_their_paths_says():
    beyond = {name: path.max(0)[0] for name, path in valley_paths(REFERENCE).items()}
    for name in ("SGD", "AdaGrad", "RMSProp"):
        assert beyond[name] < 0.01, name
    assert 0.5 < beyond["Adam"] < beyond["Nesterov"] < beyond["momentum"]
    below = {name: -path.min(0)[1] for name, path in valley_paths(REFERENCE).items()}
    assert max(below["AdaGrad"], below["RMSProp"]) < 0.01
    assert min(below[name] for name in ("SGD", "momentum", "Nesterov", "Adam")) > 0.4
    signs = np.sign(valley_paths(REFERENCE)["SGD"][:, 1])
    assert (signs[1:] != signs[:-1]).all(), "SGD does not zigzag"
