"""`report.html`: one file for the student, without scripts; it fetches nothing."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from grader.results.record import Grade
from grader.results.student import report
from grader.results.text import points

_TEMPLATE = Path(__file__).with_name("report.html")


def to_html(grade: Grade, note: str = "", mark: float | None = None) -> str:
    """The page, with the mark that staff made of the score.

    The template engine escapes everything that a submission wrote.
    """
    return template(_TEMPLATE).render(report=report(grade, note, mark))


def code_spans(text: str) -> Markup:
    """HTML of a text in which `backticks` mark code; all of it is escaped."""
    parts = re.split(r"`([^`\n]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part)
        for i, part in enumerate(parts)
    )


def templates(folder: Path, autoescape: bool = True) -> jinja2.Environment:
    """The templates of a folder, to which all that they use must be given."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=autoescape,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@functools.cache
def template(path: Path) -> jinja2.Template:
    """A page's template, which escapes all that it is given."""
    environment = templates(path.parent)
    environment.filters |= {"points": points, "code_spans": code_spans}
    return environment.get_template(path.name)
