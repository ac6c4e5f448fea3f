"""The index of the pages' search: an entry for each heading, with the text below it.

A page opened from the disk may not fetch a file, but may load a script: the index is one, which
assigns it to a variable. `search.js` looks through it.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from assignment import manifest
from grader.authoring.site import answers, pandoc, text
from grader.authoring.site.pandoc import Node

_BLOCKS = ("Header", "Para", "Plain", "CodeBlock")
_INLINES = ("Str", "Code", "Math", "Space", "SoftBreak", "LineBreak")
_TEX = {
    "cdot": "·", "times": "×", "le": "≤", "ge": "≥", "approx": "≈", "sqrt": "√", "sum": "Σ",
    **dict.fromkeys(("left", "right", "big", "bigl", "bigr", "Big", "Bigl", "Bigr"), ""),
    **dict.fromkeys(("quad", "qquad"), " "),
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A heading: `link` leads to it, `text` is what stands between it and the next.

    Of an exercise, `exercise` is its id and `title` the manifest's.
    """

    link: str
    chapter: str
    title: str
    exercise: str
    text: str


def script(book: text.Book) -> str:
    """The index as a script, which sets the variable SEARCH_INDEX."""
    found = [asdict(entry) for chapter in book.chapters for entry in entries(chapter)]
    return f"const SEARCH_INDEX = {json.dumps(found, ensure_ascii=False, indent=0)};\n"


def entries(chapter: text.Chapter) -> list[Entry]:
    """The entries of a chapter, its title first; the answers to its problems are left out."""
    titles = {exercise.id: exercise.title for exercise in manifest.load()}
    page = f"{chapter.name}.html"
    blocks: list[Node] = []
    found = [(page, chapter.title, "", blocks)]
    sections = {section.anchor: section for section in chapter.sections}
    for block in chapter.blocks:
        if block["t"] == "Header":
            section = sections[block["c"][1][0]]
            title = titles.get(section.exercise, section.title)
            blocks = []
            found.append((f"{page}#{section.anchor}", title, section.exercise, blocks))
        elif not answers.is_answer(block):
            blocks.append(block)
    return [
        Entry(link, chapter.title, title, exercise, words(blocks))
        for link, title, exercise, blocks in found
    ]


def words(tree: Any) -> str:
    """The text of blocks, with one blank between words; mathematics as a reader would type it."""
    parts = []
    for node in pandoc.nodes(tree, *_BLOCKS, *_INLINES):
        match node["t"]:
            case "Str":
                parts.append(node["c"])
            case "Code" | "CodeBlock":
                parts += [" "] * (node["t"] == "CodeBlock") + [node["c"][1]]
            case "Math":
                parts.append(_typed(node["c"][1]))
            case _:
                parts.append(" ")
    return " ".join("".join(parts).split())


def _typed(tex: str) -> str:
    """TeX without its commands: \\frac{n - 1}{n} becomes n - 1 / n, \\beta becomes beta."""
    tex = re.sub(r"\\(?:begin|end)\{\w+\}", " ", tex)
    tex = re.sub(r"\\(?:text|operatorname)\{([^{}]*)\}", r"\1", tex)
    tex = re.sub(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1 / \2", tex)
    tex = re.sub(r"\\([A-Za-z]+)", lambda name: _TEX.get(name[1], name[1]), tex)
    return re.sub(r"[{}]", "", re.sub(r"\\.|[&~]", " ", tex))
