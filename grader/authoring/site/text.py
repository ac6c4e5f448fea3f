"""Reads the chapters in the manifest's order, and rejects what cannot be shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assignment import manifest
from grader.authoring.site import answers, formulas, pandoc
from grader.authoring.site.pandoc import Node, WriteupError

INTRODUCTION = "index"
EXERCISE = re.compile(r"Exercise (\w+) \([\d.]+ points?(?:, further)?\)")
_UNIT = re.compile(r"(([kMGTP]i?)?(B|FLOP|bits?)(/s|/B)?|[mµn]?s|%)[.,;:?)]*")


@dataclass(frozen=True)
class Section:
    """A heading below the title; `exercise` is the one that it is of."""

    level: int
    anchor: str
    title: str
    exercise: str = ""


@dataclass(frozen=True)
class Chapter:
    """One file. `number` 0 is the introduction; `blocks` are pandoc's, without the title."""

    name: str
    number: int
    title: str
    blocks: list[Any]
    sections: tuple[Section, ...]
    formulas: tuple[formulas.Formula, ...]


@dataclass(frozen=True)
class Book:
    """The introduction and every chapter; `folder` holds their figures."""

    title: str
    version: str
    chapters: tuple[Chapter, ...]
    folder: Path

    def figures(self) -> list[Path]:
        """The figures that chapters show, each once."""
        shown = {
            self.folder / node["c"][2][0]
            for chapter in self.chapters
            for node in pandoc.nodes(chapter.blocks, "Image")
        }
        return sorted(shown)


def names() -> tuple[str, ...]:
    """The names of all chapters: the introduction, then the manifest's order."""
    chapters = (exercise.chapter for exercise in manifest.load())
    return (INTRODUCTION, *dict.fromkeys(chapters))


def read(folder: Path) -> Book:
    """Every chapter of a folder.

    Raises:
        WriteupError: a chapter is missing, or has a link, a figure or a formula that would break.
    """
    wanted = names()
    absent = [name for name in wanted if not (folder / f"{name}.md").is_file()]
    if absent:
        raise WriteupError("\n".join(f"{folder.name}/{name}.md is missing" for name in absent))
    chapters = tuple(_chapter(folder, name, number) for number, name in enumerate(wanted))
    book = Book(manifest.load().title, manifest.load().version, chapters, folder)
    if wrong := [line for chapter in chapters for line in problems(chapter, book)]:
        raise WriteupError("\n".join(wrong))
    return book


def problems(chapter: Chapter, book: Book) -> Iterator[str]:
    """What cannot be shown in a chapter, a line for each."""
    where = f"{chapter.name}.md"
    anchors = {
        f"{other.name}.md": {section.anchor for section in other.sections}
        for other in book.chapters
    }
    for node in pandoc.nodes(chapter.blocks, "Link"):
        target = node["c"][2][0]
        file, _, anchor = target.partition("#")
        if re.match(r"https?://|mailto:", target):
            continue
        if (file or where) not in anchors:
            yield f"{where}: links to {target}, which is no chapter"
        elif anchor and anchor not in anchors[file or where]:
            yield f"{where}: links to {target}, but that chapter has no such heading"
    for node in pandoc.nodes(chapter.blocks, "Image"):
        target = node["c"][2][0]
        if not target.startswith("figures/") or not (book.folder / target).is_file():
            yield f"{where}: shows {target}, which is no file of figures/"
        if not pandoc.plain(node["c"][1]):
            yield f"{where}: shows {target} without a caption"
    for node in pandoc.nodes(chapter.blocks, "Str"):
        if "$" in node["c"] or "\\" in node["c"]:
            yield f"{where}: {node['c']!r} is shown as it is; is a $ or a backtick missing?"
    for node in pandoc.nodes(chapter.blocks, "RawBlock", "RawInline"):
        yield f"{where}: has raw {node['c'][0]}, {node['c'][1]!r}; write it in Markdown"


def _chapter(folder: Path, name: str, number: int) -> Chapter:
    file = f"{name}.md"
    source = (folder / file).read_text(encoding="utf-8")
    tree = json.loads(pandoc.run(source, file, "--from", pandoc.MARKDOWN, "--to", "json"))
    blocks = answers.fold(pandoc.rewrite(tree["blocks"], _tidy), file)
    if not blocks or blocks[0]["t"] != "Header" or blocks[0]["c"][0] != 1:
        raise WriteupError(f"{file}: expected its title, a line `# …`, at the top")
    sections = tuple(_section(node) for node in pandoc.nodes(blocks[1:], "Header"))
    if titles := [section.title for section in sections if section.level == 1]:
        raise WriteupError(f"{file}: expected one title, got a second: {titles[0]!r}")
    marked, found = formulas.mark(blocks[1:], name)
    return Chapter(name, number, pandoc.plain(blocks[0]), marked, sections, found)


def _tidy(node: Node) -> Node:
    r"""Turns 1{,}000 into \text{1,000}: pandoc would add a space. Keeps units with numbers."""
    if node["t"] == "Math":
        node["c"][1] = re.sub(
            r"\d+(?:\{,\}\d{3})+",
            lambda number: rf"\text{{{number[0].replace('{,}', ',')}}}",
            node["c"][1],
        )
    if node["t"] in ("Para", "Plain"):
        node["c"] = _keep_units(node["c"])
    return node


def _keep_units(inlines: list[Node]) -> list[Node]:
    """The same text with a no-break space between each number and its unit."""
    kept: list[Node] = []
    for node in inlines:
        is_unit = node["t"] == "Str" and _UNIT.fullmatch(node["c"])
        match kept[-2:]:
            case [{"t": "Str", "c": number}, {"t": "Space" | "SoftBreak"}] if (
                is_unit and number[-1].isdigit()
            ):
                kept[-2:] = [{"t": "Str", "c": f"{number}\u00a0{node['c']}"}]
            case _:
                kept.append(node)
    return kept


def _section(node: Node) -> Section:
    level, (anchor, *_), title = node["c"]
    words = pandoc.plain(title)
    match = EXERCISE.fullmatch(words)
    return Section(level, anchor, words, match[1] if match else "")
