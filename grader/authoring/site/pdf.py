"""The write-up as a PDF: typst text from pandoc, laid out by `book.typ`."""

from __future__ import annotations

import functools
import json
import re
import shutil
import tempfile
from pathlib import Path

from assignment import manifest
from grader.authoring.site import answers, pandoc, text
from grader.authoring.site.pandoc import Node, WriteupError
from grader.results.html import templates

_HERE = Path(__file__).parent


def write(book: text.Book, destination: Path) -> None:
    """Writes the PDF of the whole book.

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
            # Only typst's own fonts: with system fonts each machine would make another PDF.
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
    environment = templates(_HERE, autoescape=False)  # typst, not HTML
    environment.keep_trailing_newline = True
    environment.filters["string"] = functools.partial(json.dumps, ensure_ascii=False)
    labels = {
        section.exercise: f"{chapter.name}--{section.anchor}"
        for chapter in book.chapters
        for section in chapter.sections
        if section.exercise
    }
    return environment.get_template("main.typ.jinja").render(
        book=book,
        chapters=[_typst(chapter, _body(chapter)) for chapter in book.chapters],
        answers=[
            {"chapter": chapter, "typst": _typst(chapter, solved)}
            for chapter in book.chapters
            if (solved := answers.take_out(chapter.blocks)[1])
        ],
        exercises=[exercise for exercise in manifest.load() if exercise.id in labels],
        labels=labels,
    )


def _body(chapter: text.Chapter) -> list[Node]:
    """A chapter with its title, without the answers."""
    title = {"t": "Str", "c": chapter.title}
    heading = {"t": "Header", "c": [1, [chapter.name, [], []], [title]]}
    return [heading, *_with_frames(_without_answers(chapter))]


def _without_answers(chapter: text.Chapter) -> list[Node]:
    """A chapter's blocks; a reference to the page of the answers follows its last problem."""
    last = max((i for i, b in enumerate(chapter.blocks) if answers.is_answer(b)), default=None)
    if last is None:
        return chapter.blocks
    link = {"t": "RawBlock", "c": ["typst", f"#answers-at(<answers--{chapter.name}>)"]}
    before, after = chapter.blocks[:last], chapter.blocks[last + 1 :]
    return [*answers.take_out(before)[0], link, *after]


def _typst(chapter: text.Chapter, blocks: list[Node]) -> str:
    """Blocks of a chapter in typst. Labels begin with its name, to be unique in the whole book."""

    def change(node: Node) -> Node:
        if node["t"] == "Header" and node["c"][0] > 1:
            node["c"][1][0] = f"{chapter.name}--{node['c'][1][0]}"
        if node["t"] == "Math" and "{cases}" in node["c"][1]:
            # TeX leaves a space before the conditions; typst only aligns them.
            node["c"][1] = node["c"][1].replace("&", r"& \quad")
        if node["t"] == "Link":
            target = node["c"][2]
            if match := re.fullmatch(r"(?:([\w-]+)\.md)?(?:#(.+))?", target[0]):
                file, anchor = match[1] or chapter.name, match[2]
                target[0] = f"#{file}--{anchor}" if anchor else f"#{file}"
        return node

    typst = pandoc.render(pandoc.rewrite(blocks, change), f"{chapter.name}.md", "--to", "typst")
    # Pandoc reads the bars of |x| as relations, with spaces around them.
    typst = re.sub(r"\\\| ([^|$]+?) \\\|", r"abs(\1)", typst)
    # Pandoc centres tables, and so the text in their cells.
    return typst.replace("align(center)[#table(", "align(left + horizon)[#table(")


def _with_frames(blocks: list[Node]) -> list[Node]:
    """Puts each exercise's blocks into a frame, so that no page break divides them."""
    framed: list[Node] = []
    inside = False
    for block in [*blocks, None]:
        starts = block is None or (block["t"] == "Header" and block["c"][0] <= 2)
        if starts and inside:
            framed.append({"t": "RawBlock", "c": ["typst", "]"]})
            inside = False
        if block is not None:
            if starts and text.EXERCISE.fullmatch(pandoc.plain(block)):
                framed.append({"t": "RawBlock", "c": ["typst", "#exercise["]})
                inside = True
            framed.append(block)
    return framed
