"""Runs pandoc and walks its trees. A warning of pandoc counts as an error."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

# A node is {"t": its kind, "c": its content}; see pandoc's types Block and Inline.
Node = dict[str, Any]

# GitHub's Markdown, so that a chapter looks the same in the repository and here.
MARKDOWN = "gfm+smart+implicit_figures"


class WriteupError(Exception):
    """The write-up cannot be built; the message has a line for each problem."""


def run(text: str, file: str, *options: str) -> str:
    """Pandoc's output for a text of a chapter's file.

    Raises:
        WriteupError: it failed or warned, for example of mathematics that it cannot convert.
    """
    try:
        import pypandoc  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise WriteupError(f"{file}: {missing(error)}") from error
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), "--fail-if-warnings", *options],
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode or done.stderr:
        raise WriteupError(f"{file}: pandoc: {done.stderr.strip()}")
    return done.stdout


def render(blocks: list[Node], file: str, *options: str) -> str:
    """Blocks of a chapter's file in another format; raises what `run` raises."""
    document = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    return run(json.dumps(document), file, "--from", "json", "--wrap", "none", *options)


def missing(error: ModuleNotFoundError) -> WriteupError:
    """The error for a missing package that only the write-up needs."""
    return WriteupError(f"{error.name} is not installed; `make .venv/docs` installs it")


def rewrite(tree: Any, change: Callable[[Node], Node]) -> Any:
    """A copy of a tree with every node replaced by `change(node)`, innermost first."""
    if isinstance(tree, list):
        return [rewrite(item, change) for item in tree]
    if isinstance(tree, dict):
        copy = {key: rewrite(value, change) for key, value in tree.items()}
        return change(copy) if "t" in copy else copy
    return tree


def nodes(tree: Any, *kinds: str) -> Iterator[Node]:
    """Every node of the given kinds in a tree, in the order of the text."""
    if isinstance(tree, list):
        for item in tree:
            yield from nodes(item, *kinds)
    elif isinstance(tree, dict):
        if tree.get("t") in kinds:
            yield tree
        yield from nodes(list(tree.values()), *kinds)


def plain(tree: Any) -> str:
    """The text of a tree, without markup."""
    words = []
    for node in nodes(tree, "Str", "Code", "Math", "Space", "SoftBreak"):
        content = node.get("c", " ")
        words.append(content if isinstance(content, str) else content[1])
    return "".join(words)
