"""Mutation operators for statements."""

from __future__ import annotations

import builtins

import libcst as cst

from grader.authoring.mutation.edits import ARITHMETIC, Edit, Edits, operator_between, replaced
from grader.authoring.mutation.source import Source, dotted


def augmented(node: cst.CSTNode, source: Source) -> Edits:
    """`a += b` → `a -= b`, `a = b`"""
    if not isinstance(node, cst.AugAssign):
        return
    start, end, sign = operator_between(source, node.target, node.value)
    for other in (*ARITHMETIC.get(sign.removesuffix("="), ()), ""):
        yield Edit("augmented", start, end, f" {other}= ")


def returned(node: cst.CSTNode, source: Source) -> Edits:
    """`return a` → `return None`; `yield a` → `yield None`"""
    if isinstance(node, cst.Return) and node.value is not None:
        if source.text(node.value) != "None":
            yield replaced("return", source, node, "return None")
    elif isinstance(node, cst.Yield) and isinstance(node.value, cst.BaseExpression):
        yield replaced("return", source, node, "yield None")


def statement(node: cst.CSTNode, source: Source) -> Edits:
    """A statement → `pass`

    Not a `return` at the end of a function, which `returned` changes. The caller drops a statement
    that gives a new name its first value: what follows needs it.
    """
    removable = cst.Expr | cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Raise | cst.Return
    if not isinstance(node, removable | cst.Break | cst.Continue | cst.Del):
        return
    if isinstance(node, cst.Return) and _ends_function(node, source):
        return
    if isinstance(node, cst.AnnAssign) and node.value is None:
        return
    yield replaced("statement", source, node, "pass")


def _ends_function(node: cst.CSTNode, source: Source) -> bool:
    """Whether this is the last statement of a function, at its top level."""
    line = source.parent(node)
    block = source.parent(line) if line else None
    if not isinstance(block, cst.IndentedBlock) or block.body[-1] is not line:
        return False
    return isinstance(source.parent(block), cst.FunctionDef)


def loop(node: cst.CSTNode, source: Source) -> Edits:
    """`break` ↔ `continue`"""
    if isinstance(node, cst.Break | cst.Continue):
        other = "continue" if isinstance(node, cst.Break) else "break"
        yield replaced("loop", source, node, other)


def raised(node: cst.CSTNode, source: Source) -> Edits:
    """`raise ValueError(…)` → another class"""
    if not isinstance(node, cst.Raise) or node.exc is None:
        return
    named = node.exc.func if isinstance(node.exc, cst.Call) else node.exc
    kind = getattr(builtins, dotted(named), None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        other = "ValueError" if kind is RuntimeError else "RuntimeError"
        yield replaced("raise", source, named, other)


def handler(node: cst.CSTNode, source: Source) -> Edits:
    """`except E:` → `except ():`, which catches nothing"""
    if isinstance(node, cst.ExceptHandler) and node.type is not None:
        yield Edit("handler", *source.span_with_parentheses(node.type), "()")


def decorator(node: cst.CSTNode, source: Source) -> Edits:
    """A decorator → nothing"""
    if isinstance(node, cst.Decorator):
        yield replaced("decorator", source, node, "")


def context(node: cst.CSTNode, source: Source) -> Edits:
    """`with a, b:` → without each; a single one → `if True:`, which keeps the body

    Not a context that binds a name: the body needs the name.
    """
    if not isinstance(node, cst.With):
        return
    start = source.span(node)[0]
    end = source.data.index(b":", source.span_with_parentheses(node.items[-1])[1])
    for item in node.items:
        if item.asname is None:
            kept = ", ".join(
                source.between(*source.span(other)) for other in node.items if other is not item
            )
            yield Edit("context", start, end, f"with {kept}" if kept else "if True")
