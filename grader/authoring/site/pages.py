"""The write-up as pages: HTML and MathML. They fetch nothing, and can be read without scripts.

Our own scripts search in them, and compute formulas whose numbers the reader changes.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from markupsafe import Markup

from assignment import manifest
from grader.authoring.site import answers, formulas, pandoc, search, text
from grader.authoring.site.pandoc import Node
from grader.results.html import templates

_HERE = Path(__file__).parent
EXERCISES = "exercises"


def write(book: text.Book, destination: Path) -> None:
    """Writes the site: a page for each chapter, and one that lists the exercises."""
    if destination.is_dir():
        shutil.rmtree(destination)
    (destination / "figures").mkdir(parents=True)
    for figure in book.figures():
        shutil.copy(figure, destination / "figures")
    for name in ("style.css", "search.js", "formulas.js"):
        shutil.copy(_HERE / name, destination)
    (destination / "index.js").write_text(search.script(book), encoding="utf-8")
    computed = [formula for chapter in book.chapters for formula in chapter.formulas]
    (destination / "computed.js").write_text(formulas.script(computed), encoding="utf-8")
    environment = templates(_HERE)
    environment.globals |= {
        "book": book,
        "exercises": manifest.load(),
        "anchors": {s.exercise: s.anchor for c in book.chapters for s in c.sections if s.exercise},
        "points_of": {
            c.name: sum(e.points for e in manifest.load() if e.core and e.chapter == c.name)
            for c in book.chapters
        },
    }
    page = environment.get_template("page.html")
    for chapter in book.chapters:
        html = page.render(chapter=chapter, body=Markup(body(chapter)))
        (destination / f"{chapter.name}.html").write_text(html, encoding="utf-8")
    html = environment.get_template("exercises.html").render(chapter=None)
    (destination / f"{EXERCISES}.html").write_text(html, encoding="utf-8")


def body(chapter: text.Chapter) -> str:
    """A chapter's text in HTML, without its title."""
    blocks = pandoc.rewrite(chapter.blocks, _for_pages)
    return pandoc.render(blocks, f"{chapter.name}.md", "--to", "html", "--mathml")


def _for_pages(node: Node) -> Node:
    """Adapts a node to HTML.

    Links lead to pages. Headings of exercises get the class `exercise`, and their points `points`.
    Tables and displayed formulas scroll in an element of their own. Answers are folded.
    """
    if node["t"] == "Link":
        target = node["c"][2]
        target[0] = re.sub(r"^([\w-]+)\.md(?=#|$)", r"\1.html", target[0])
    if node["t"] == "Header" and text.EXERCISE.fullmatch(pandoc.plain(node)):
        level, (anchor, *_), title = node["c"]
        start = next(i for i, inline in enumerate(title) if inline["t"] == "Code") + 1
        points = {"t": "Span", "c": [["", ["points"], []], title[start + 1 :]]}
        node["c"] = [level, [anchor, ["exercise"], []], [*title[: start + 1], points]]
    if node["t"] == "Table":
        return {"t": "Div", "c": [["", ["wide"], []], [node]]}
    if node["t"] == "Math" and node["c"][0]["t"] == "DisplayMath":
        return {"t": "Span", "c": [["", ["wide"], []], [node]]}
    return answers.as_details(node)
