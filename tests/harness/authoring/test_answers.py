"""Answers to problems: folded on the pages, at the end of the PDF.

`test_writeup.py` has those that are refused.
"""

import re

import pytest

from grader.authoring.site import pages, pdf, text

PROBLEM = "**Problem {}.** How much?"
ANSWER = "<details><summary>Answer</summary>\n\n{}\n\n</details>"


@pytest.fixture
def add(folder):
    """Adds blocks to the chapter and reads the book."""

    def add(*blocks):
        with (folder / "dtypes.md").open("a") as file:
            file.write("\n\n".join(["", *blocks, ""]))
        return text.read(folder)

    return add


def test_answers_are_folded_on_the_page(add):
    book = add(PROBLEM.format(1), ANSWER.format("`12` bytes."), PROBLEM.format(2), "Words.")
    body = pages.body(book.chapters[1])
    folded = r'<details class="answer"><summary>Answer</summary>\s*<p><code>12</code> bytes.</p>'
    assert re.search(folded + r"\s*</details>", body)
    assert "<details" not in pages.body(book.chapters[0])


def test_answers_are_at_the_end_of_the_pdf(add, tmp_path):
    book = add(
        *(PROBLEM.format(1), ANSWER.format("It is twelve.")),
        *(PROBLEM.format(2), ANSWER.format("- It is\n- thirteen."), "## Last words"),
    )
    chapters, answers = pdf.source(book).split("\n= Answers")
    assert "twelve" not in chapters
    assert "thirteen" not in chapters
    assert "#answers-at(<answers--dtypes>)" in chapters.split("== Last words")[0]
    assert re.search(r"(?s)Problem 1\..*twelve.*Problem 2\..*thirteen", answers)
    pdf.write(book, tmp_path / "book.pdf")


def test_book_without_problems_has_no_page_of_answers(add, tmp_path):
    book = add("Words.")
    assert "= Answers" not in pdf.source(book)
    pdf.write(book, tmp_path / "book.pdf")
