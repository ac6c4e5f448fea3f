"""The reference solutions to read after the deadline: pages like the text's, docstrings of a line.

They are no part of the text's site, which students have from the start.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from assignment import manifest
from grader.authoring.site import pages, text
from grader.authoring.statements import names_of
from grader.authoring.variants import REFERENCE

_INTRODUCTION = """# The reference solutions

For after the deadline. Each chapter has the code of its exercises, and then what they share.
Docstrings are cut to their first line; the handout's stubs have them whole.
"""


def write(book: text.Book, destination: Path, reference: Path = REFERENCE) -> None:
    """Writes a page for each chapter of the text, with the same titles."""
    with tempfile.TemporaryDirectory() as place:
        for chapter in book.chapters:
            markdown = _INTRODUCTION
            if chapter.number:
                parts = (f"# {chapter.title}", *_sections(chapter.name, reference))
                markdown = "\n\n".join(parts)
            (Path(place) / f"{chapter.name}.md").write_text(markdown, encoding="utf-8")
        pages.write(text.read(Path(place)), destination)


def _sections(chapter: str, reference: Path) -> Iterator[str]:
    """The code of a chapter in Markdown: of each exercise, and what else is in its module."""
    if not (reference / f"{chapter}.py").is_file():
        yield "These exercises race functions of other chapters."
        return
    code = condensed((reference / f"{chapter}.py").read_text(encoding="utf-8"))
    for exercise in manifest.load():
        if exercise.chapter == chapter:
            yield f"## Exercise `{exercise.id}` ({exercise.worth})"
            own = [code.pop(name) for name in exercise.names_in(chapter) if name in code]
            yield _block(own) if own else "Its functions are above."
    if code:
        yield "## What they share"
        yield _block(code.values())


def _block(code: Iterable[str]) -> str:
    return "```python\n" + "\n\n\n".join(code) + "\n```"


def condensed(source: str) -> dict[str, str]:
    """The definitions of a module by name, with the comments above, docstrings cut to a line."""
    lines = source.splitlines()
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, documented)]
    docstrings = [node.body[0] for node in nodes if ast.get_docstring(node)]
    for docstring in sorted(docstrings, key=lambda node: node.lineno, reverse=True):
        first = lines[docstring.lineno - 1].removesuffix('"""')
        lines[docstring.lineno - 1 : docstring.end_lineno] = [f'{first}"""']
    code, end = {}, 0
    for node in ast.parse("\n".join(lines)).body:
        start, end = end, node.end_lineno or node.lineno
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            code[" ".join(names_of(node))] = "\n".join(lines[start:end]).strip()
    return code
