"""Questions about a statement: is it an import or a type alias, which names does it define?"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

import libcst as cst


def defined_names(statement: cst.CSTNode) -> set[str]:
    """The names that a top-level statement of libcst's binds."""
    return set().union(*map(names_of, _parsed(statement).body))


def names_of(statement: ast.stmt) -> set[str]:
    """The names that a top-level statement of Python's `ast` binds."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {(a.asname or a.name).partition(".")[0] for a in statement.names}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def is_docstring(statement: cst.CSTNode) -> bool:
    """Whether the statement is a string."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=value)]) | cst.Expr(value=value):
            return isinstance(value, cst.SimpleString | cst.ConcatenatedString)
    return False


def is_import(statement: cst.CSTNode) -> bool:
    """Whether this is an import, or an `if` or `try` that holds only imports."""
    statements = [node for node in ast.walk(_parsed(statement)) if isinstance(node, ast.stmt)]
    simple = [node for node in statements if not isinstance(node, ast.If | ast.Try)]
    return bool(simple) and all(isinstance(n, ast.Import | ast.ImportFrom) for n in simple)


def is_type(statement: cst.CSTNode) -> bool:
    """Whether this is `X: TypeAlias = …`, `type X = …`, or `T = TypeVar(…)` or similar."""
    match _parsed(statement).body:
        case [ast.AnnAssign(annotation=ast.Name(id="TypeAlias"))]:
            return True
        case [ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec" | "NewType")))]:
            return True
        case [node]:
            return type(node).__name__ == "TypeAlias"  # `type X = …`, from Python 3.12
    return False


def is_private(name: str) -> bool:
    """Whether a name is private; `__init__` and the like are not."""
    return name.startswith("_") and not name.endswith("__")


def is_plain_data(statement: cst.CSTNode) -> bool:
    """Whether this is a simple statement, or a class without methods."""
    if isinstance(statement, cst.ClassDef):
        return not any(isinstance(s, cst.FunctionDef) for s in statement.body.body)
    return isinstance(statement, cst.SimpleStatementLine)


def used_names(statement: cst.CSTNode) -> set[str]:
    """All names in a statement."""
    return {n.id for n in ast.walk(_parsed(statement)) if isinstance(n, ast.Name)}


def last_name(node: cst.BaseExpression) -> str:
    """The last part of a dotted name; "" for another expression."""
    match node:
        case cst.Name(value=value) | cst.Attribute(attr=cst.Name(value=value)):
            return value
    return ""


def code(node: cst.CSTNode) -> str:
    """The source text of a statement."""
    return cst.Module(body=[node]).code  # type: ignore[list-item]


@lru_cache(maxsize=4096)  # each statement is asked several questions; nodes compare by identity
def _parsed(statement: cst.CSTNode) -> ast.Module:
    return ast.parse(code(statement))


def leading_lines(statement: cst.CSTNode) -> Sequence[cst.EmptyLine]:
    """The comments and blank lines above a statement."""
    lines: Sequence[cst.EmptyLine] = getattr(statement, "leading_lines", ())
    return lines
