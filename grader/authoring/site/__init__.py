"""Builds the write-up as a site and as a PDF from `assignment/writeup/*.md`.

Markdown -> pandoc's tree -> pages      build/site/, HTML and MathML, opens from the disk
                          -> typst      build/resource-accounting.pdf
the reference -> Markdown -> pages      build/solutions/, for after the deadline
"""

from __future__ import annotations

from pathlib import Path

from grader.authoring.site import pages, pdf, reading, text
from grader.authoring.site.pandoc import WriteupError, missing
from grader.judge import markers
from grader.paths import REPOSITORY

__all__ = ["PDF", "READING", "SITE", "WRITEUP", "WriteupError", "build", "missing"]

WRITEUP = REPOSITORY / "assignment" / "writeup"
SITE = "site"
READING = "solutions"
PDF = "resource-accounting.pdf"


def build(destination: Path, writeup: Path = WRITEUP) -> None:
    """Builds `destination`/site, the PDF and the pages of the reference beside it.

    Raises:
        WriteupError: a chapter is missing, or something in one cannot be shown; lists all.
        ManifestError: the manifest has a mistake, or the tests do not match it.
    """
    markers.load(REPOSITORY / "tests")
    book = text.read(writeup)
    pages.write(book, destination / SITE)
    pdf.write(book, destination / PDF)
    reading.write(book, destination / READING)
