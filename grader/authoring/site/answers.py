"""Problems and their folded answers, which Markdown writes as

    **Problem 1.** How many bytes are 3 numbers in fp32?

    <details><summary>Answer</summary>

    12.

    </details>

so that GitHub folds them too. Pages fold them; a PDF cannot, and has them at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from grader.authoring.site import pandoc
from grader.authoring.site.pandoc import Node, WriteupError

_OPEN, _CLOSE = "<details><summary>Answer</summary>", "</details>"
_PROBLEM = re.compile(r"Problem (\d+)\.")


def fold(blocks: list[Any], where: str) -> list[Any]:
    """Blocks with each answer in one Div, which has its problem's number as `data-problem`.

    Raises:
        WriteupError: an answer is not directly below its problem, or problems are not numbered
            from 1; names the chapter's file, `where`.
    """
    folded: list[Any] = []
    inside: list[Any] | None = None
    solved = 0
    for block in blocks:
        mark = block["c"][1].strip() if block["t"] == "RawBlock" else ""
        if mark == _OPEN and inside is None:
            if not folded or _number(folded[-1]) != solved + 1:
                raise WriteupError(
                    f"{where}: expected **Problem {solved + 1}.** directly above its answer"
                )
            inside, solved = [], solved + 1
        elif mark == _CLOSE and inside is not None:
            folded.append({"t": "Div", "c": [["", ["answer"], [["problem", str(solved)]]], inside]})
            inside = None
        else:
            (folded if inside is None else inside).append(block)
    if inside is not None:
        raise WriteupError(f"{where}: answer {solved} has no line {_CLOSE}")
    return folded


def as_details(node: Node) -> Node:
    """An answer in HTML, folded; any other node as it is."""
    if not is_answer(node):
        return node
    start, end = (
        {"t": "RawBlock", "c": ["html", html]}
        for html in (f'<details class="answer">{_OPEN.removeprefix("<details>")}', _CLOSE)
    )
    return {"t": "Div", "c": [["", [], []], [start, *node["c"][1], end]]}


def take_out(blocks: list[Any]) -> tuple[list[Any], list[Any]]:
    """Blocks without their answers; and the answers, each with "Problem n." in its first line."""
    rest = [block for block in blocks if not is_answer(block)]
    return rest, [block for node in blocks if is_answer(node) for block in _titled(node)]


def is_answer(node: Node) -> bool:
    """Whether a node is an answer that `fold` made."""
    return bool(node["t"] == "Div" and node["c"][0][1] == ["answer"])


def _titled(answer: Node) -> Iterator[Node]:
    """An answer's blocks, with "Problem n." at the beginning of the first."""
    number = dict(answer["c"][0][2])["problem"]
    title = {"t": "Strong", "c": [{"t": "Str", "c": f"Problem {number}."}]}
    first, *others = answer["c"][1]
    if first["t"] == "Para":
        yield {"t": "Para", "c": [title, {"t": "Space"}, *first["c"]]}
    else:
        yield from ({"t": "Para", "c": [title]}, first)
    yield from others


def _number(block: Node) -> int | None:
    """The number of the problem that a block asks, or None."""
    if block["t"] != "Para" or block["c"][0]["t"] != "Strong":
        return None
    match = _PROBLEM.fullmatch(pandoc.plain(block["c"][0]))
    return int(match[1]) if match else None
