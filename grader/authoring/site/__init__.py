"""The write-up as a site and as a PDF, both made from `assignment/writeup/*.md`.

Markdown -> pandoc's tree -> pages      build/site/, HTML and MathML; works from file://
                          -> typst      build/resource-accounting.pdf
"""

from __future__ import annotations

from pathlib import Path

from grader.authoring.site import pages, pdf, text
from grader.authoring.site.pandoc import WriteupError, missing

__all__ = ["PDF", "SITE", "WRITEUP", "WriteupError", "build", "missing"]

ROOT = Path(__file__).resolve().parents[3]
WRITEUP = ROOT / "assignment" / "writeup"
SITE = "site"
PDF = "resource-accounting.pdf"


def build(destination: Path, writeup: Path = WRITEUP) -> None:
    """Makes `destination`/site and the PDF beside it anew.

    Raises:
        WriteupError: a chapter is missing, or something in one cannot be shown; names each.
    """
    book = text.read(writeup)
    pages.write(book, destination / SITE)
    pdf.write(book, destination / PDF)
