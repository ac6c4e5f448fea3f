"""Mutation operators for expressions other than calls."""

from __future__ import annotations

import math

import libcst as cst

from grader.authoring.mutation.edits import (
    ARITHMETIC,
    LOOSE_IN_ARITHMETIC,
    Edit,
    Edits,
    grouped,
    guarded,
    operator_between,
    replaced,
    span_without,
)
from grader.authoring.mutation.source import Source

# Operators of equal precedence: no parentheses are needed between them.
_SAME_PRECEDENCE = ({"+", "-"}, {"*", "/", "//", "%", "@"}, {"<<", ">>"})
# The boundary moved by one, and the opposite comparison.
_COMPARISON = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}


def arithmetic(node: cst.CSTNode, source: Source) -> Edits:
    """`a + b` → `a - b`, `a * b` → `a / b`, `(a + b)`, …"""
    if not isinstance(node, cst.BinaryOperation):
        return
    start, end, sign = operator_between(source, node.left, node.right)
    for other in ARITHMETIC.get(sign, ()):
        gap = source.between(start, end).replace(sign, other)
        if any(sign in group and other in group for group in _SAME_PRECEDENCE):
            yield Edit("arithmetic", start, end, gap)
            continue
        left, right = (
            grouped(operand, source, LOOSE_IN_ARITHMETIC) for operand in (node.left, node.right)
        )
        text = guarded(left + gap + right, node, source)
        yield replaced("arithmetic", source, node, text)


def unary(node: cst.CSTNode, source: Source) -> Edits:
    """`not a`, `-a` and `~a` → `a`"""
    if isinstance(node, cst.UnaryOperation):
        yield replaced("unary", source, node, source.text(node.expression))


def comparison(node: cst.CSTNode, source: Source) -> Edits:
    """`a < b` → `a <= b`, `a >= b`; of a chain, each link"""
    if not isinstance(node, cst.Comparison):
        return
    left = node.left
    for link in node.comparisons:
        start, end, sign = operator_between(source, left, link.comparator)
        for other in _COMPARISON.get(sign, ()):
            yield Edit("comparison", start, end, f" {other} ")
        left = link.comparator


def boolean(node: cst.CSTNode, source: Source) -> Edits:
    """`a and b` → `a or b`, `a`, `b`"""
    if not isinstance(node, cst.BooleanOperation):
        return
    start, end, sign = operator_between(source, node.left, node.right)
    gap = source.between(start, end).replace(sign, {"and": "or", "or": "and"}.get(sign, sign))
    text = grouped(node.left, source) + gap + grouped(node.right, source)
    yield replaced("boolean", source, node, guarded(text, node, source))
    yield replaced("boolean", source, node, source.text(node.left))
    yield replaced("boolean", source, node, source.text(node.right))


def negation(node: cst.CSTNode, source: Source) -> Edits:
    """A condition → its opposite, unless `comparison` or `unary` makes the same change"""
    if not isinstance(node, cst.If | cst.While | cst.IfExp | cst.CompIf):
        return
    match test := node.test:
        case cst.UnaryOperation(operator=cst.Not()) | cst.Comparison(comparisons=[_]):
            return
    yield Edit("negation", *source.span_with_parentheses(test), f"not {grouped(test, source)}")


def ternary(node: cst.CSTNode, source: Source) -> Edits:
    """`a if c else b` → `a`, `b`"""
    if isinstance(node, cst.IfExp):
        yield replaced("ternary", source, node, source.text(node.body))
        yield replaced("ternary", source, node, source.text(node.orelse))


def unfiltered(node: cst.CSTNode, source: Source) -> Edits:
    """`[x for x in xs if c]` → `[x for x in xs]`"""
    if isinstance(node, cst.CompIf):
        yield Edit("filter", *source.span_with_parentheses(node), "")


def number(node: cst.CSTNode, source: Source) -> Edits:
    """An integer → one more, one less; a float → twice, half; 0.0 → 1.0"""
    if isinstance(node, cst.Integer):
        value = node.evaluated_value
        yield replaced("number", source, node, str(value + 1))
        yield replaced("number", source, node, str(value - 1))
    if isinstance(node, cst.Float):
        amount = node.evaluated_value
        for changed in (amount * 2, amount / 2) if amount else (1.0,):
            if math.isfinite(changed):
                yield replaced("number", source, node, repr(changed))


def string(node: cst.CSTNode, source: Source) -> Edits:
    """`"text"` → `"XXtext"`; of an f-string, each piece of text"""
    if isinstance(node, cst.SimpleString):
        opening = node.prefix + node.quote
        yield replaced("string", source, node, f"{opening}XX{node.value[len(opening) :]}")
    if isinstance(node, cst.FormattedStringText):
        yield replaced("string", source, node, f"XX{node.value}")


def literal(node: cst.CSTNode, source: Source) -> Edits:
    """True ↔ False; None → 0, except in a comparison"""
    if not isinstance(node, cst.Name):
        return
    if node.value in ("True", "False"):
        yield replaced("literal", source, node, str(node.value == "False"))
    if node.value == "None" and not isinstance(source.parent(node), cst.ComparisonTarget):
        yield replaced("literal", source, node, "0")


def bounds(node: cst.CSTNode, source: Source) -> Edits:
    """`x[a:b:c]` → without each of them"""
    if isinstance(node, cst.Slice):
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                yield Edit("slice", *source.span_with_parentheses(bound), "")


def element(node: cst.CSTNode, source: Source) -> Edits:
    """`[a, b]` → without each; a tuple only if a loop or a comparison uses it directly"""
    if not isinstance(node, cst.List | cst.Set | cst.Dict | cst.Tuple):
        return
    parent = source.parent(node)
    looped = isinstance(parent, cst.For | cst.CompFor) and parent.iter is node
    if isinstance(node, cst.Tuple) and not (looped or isinstance(parent, cst.ComparisonTarget)):
        return
    for i in range(len(node.elements)):
        if isinstance(node, cst.Tuple) and len(node.elements) == 2:
            yield replaced("element", source, node, f"{source.text(node.elements[1 - i])},")
        elif len(node.elements) > 1 or isinstance(node, cst.List | cst.Dict):
            yield Edit("element", *span_without(node.elements, i, source), "")


def function(node: cst.CSTNode, source: Source) -> Edits:
    """`lambda x: y` → `lambda x: None`"""
    if isinstance(node, cst.Lambda) and source.text(node.body) != "None":
        yield Edit("lambda", *source.span_with_parentheses(node.body), "None")
