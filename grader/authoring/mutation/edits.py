"""An edit of a module's text, and helpers that several mutation operators share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from grader.authoring.mutation.source import Source


@dataclass(frozen=True)
class Edit:
    """Replaces the bytes from `start` to `end` by `text`."""

    operator: str
    start: int
    end: int
    text: str


Edits = Iterator[Edit]

# Each arithmetic operator, and what replaces it.
ARITHMETIC = {
    "+": ("-",),
    "-": ("+",),
    "*": ("/", "+"),
    "/": ("*", "//"),
    "//": ("/", "*"),
    "%": ("//", "*"),
    "**": ("*",),
    "@": ("*",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "^": ("&",),
}
# Expressions that need parentheses beside another operator.
_LOOSE = (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr)
LOOSE_IN_ARITHMETIC = (*_LOOSE, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)


def replaced(operator: str, source: Source, node: cst.CSTNode, text: str) -> Edit:
    """Replaces a node by a text."""
    return Edit(operator, *source.span(node), text)


def grouped(
    node: cst.BaseExpression, source: Source, loose: tuple[type[cst.CSTNode], ...] = _LOOSE
) -> str:
    """The text of an operand, in parentheses if it is of a loose kind and has none."""
    text = source.text(node)
    return f"({text})" if isinstance(node, loose) and not node.lpar else text


def guarded(text: str, node: cst.BaseExpression, source: Source) -> str:
    """A new text for a node, in parentheses if an outer expression could bind closer."""
    inside = isinstance(source.parent(node), cst.BaseExpression) and not node.lpar
    return f"({text})" if inside else text


def operator_between(source: Source, left: cst.CSTNode, right: cst.CSTNode) -> tuple[int, int, str]:
    """Start, end and text of the operator between two operands."""
    start, end = source.span_with_parentheses(left)[1], source.span_with_parentheses(right)[0]
    return start, end, " ".join(source.between(start, end).split())


def span_without(nodes: Sequence[cst.CSTNode], i: int, source: Source) -> tuple[int, int]:
    """The span that removes one of several nodes separated by commas, with one of the commas."""
    start, end = source.span(nodes[i])
    if i + 1 < len(nodes):
        return start, source.span(nodes[i + 1])[0]
    return (source.span(nodes[i - 1])[1], end) if i else (start, end)
