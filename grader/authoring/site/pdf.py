"""The write-up as a PDF: pandoc's typst, set by `book.typ`."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path

from assignment import manifest
from grader.authoring.site import pandoc, text
from grader.authoring.site.pandoc import Node, WriteupError

_HERE = Path(__file__).parent


def write(book: text.Book, destination: Path) -> None:
    """Makes `destination` the PDF of the whole book.

    Raises:
        WriteupError: typst failed or warned.
    """
    try:
        import typst
    except ModuleNotFoundError as error:
        raise pandoc.missing(error) from error
    destination.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(_HERE / "book.typ", folder)
        (folder / "figures").mkdir()
        for figure in book.figures():
            shutil.copy(figure, folder / "figures")
        (folder / "main.typ").write_text(source(book), encoding="utf-8")
        try:
            # Fonts of this machine would make another PDF elsewhere: typst's own are enough.
            content, warnings = typst.compile_with_warnings(
                str(folder / "main.typ"), ignore_system_fonts=True, timestamp=0
            )
        except typst.TypstError as error:
            raise WriteupError(f"typst: {error}") from error
    if warnings:
        raise WriteupError("\n".join(f"typst: {warning}" for warning in warnings))
    destination.write_bytes(content)


def source(book: text.Book) -> str:
    """The whole book in typst."""
    settings = {"title": book.title, "version": book.version}
    parts = [
        '#import "book.typ": *',
        f"#show: book.with({', '.join(f'{k}: {json.dumps(v)}' for k, v in settings.items())})",
        *(_typst(chapter) for chapter in book.chapters),
        _index(book),
    ]
    return "\n\n".join(parts) + "\n"


def _typst(chapter: text.Chapter) -> str:
    """A chapter, with its name before each label, since all chapters are one document here."""

    def change(node: Node) -> Node:
        if node["t"] == "Header":
            node["c"][1][0] = f"{chapter.name}--{node['c'][1][0]}"
        if node["t"] == "Link":
            target = node["c"][2]
            if match := re.fullmatch(r"(?:([\w-]+)\.md)?(?:#(.+))?", target[0]):
                file, anchor = match[1] or chapter.name, match[2]
                target[0] = f"#{file}--{anchor}" if anchor else f"#{file}"
        return node

    title = {"t": "Str", "c": chapter.title}
    heading = {"t": "Header", "c": [1, [chapter.name, [], []], [title]]}
    document = {
        "pandoc-api-version": [1, 23, 1],
        "meta": {},
        "blocks": [heading, *pandoc.rewrite(chapter.blocks, change)],
    }
    options = ("--from", "json", "--to", "typst", "--wrap", "none")
    try:
        typst = pandoc.run(json.dumps(document), *options)
    except WriteupError as error:
        raise WriteupError(f"{chapter.name}.md: {error}") from error
    # Pandoc centres tables, and with them the text in their cells.
    return typst.replace("align(center)[#table(", "align(left + horizon)[#table(")


def _index(book: text.Book) -> str:
    """The table of all exercises, with the page of each."""
    anchors = {
        section.exercise: f"{chapter.name}--{section.anchor}"
        for chapter in book.chapters
        for section in chapter.sections
        if section.exercise
    }
    rows = [
        f"({json.dumps(e.chapter)}, {json.dumps(e.title)}, {json.dumps(e.id)}, "
        f'"{e.points:g}", label({json.dumps(anchors[e.id])}))'
        for e in manifest.load()
        if e.id in anchors
    ]
    return "#exercises((\n" + "".join(f"  {row},\n" for row in rows) + "))"
