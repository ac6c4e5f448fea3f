"""Places in a traceback: which file, which line, and the values of its variables."""

from __future__ import annotations

import ast
import functools
import itertools
import os
import textwrap
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assignment.calls.journal import literal
from assignment.calls.text import cut, show

_SHOWN_STATEMENT_LINES = 5
_SHOWN_PLACES = 4  # at each end of a traceback
_SHOWN_VALUES = 8  # variables of one place
_SHOWN_VALUE = 60  # characters
_OURS = Path(__file__).parents[1]
_PLACED = (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias, ast.pattern)

Kind = Literal["student", "test", "scenario", "library"]


def file_of(entry: Any) -> str:
    """The file of a place. pytest's `entry.path` looks whether it is there, which takes longer."""
    name: str = entry.frame.code.raw.co_filename
    return name if name.startswith("<") else os.path.abspath(name)  # noqa: PTH100, links stay


@functools.cache
def _kind(file: str, test: Path, package: Path) -> Kind:
    """What a file is; cached, since a traceback has some 75 places, most in the same libraries."""
    path = Path(file)
    if package in path.parents:
        return "student"
    if path == test:
        return "test"
    return "scenario" if path.parent == _OURS / "scenarios" else "library"


@dataclass(frozen=True)
class Places:
    """What a file of a traceback is to a student."""

    test: Path  # the test's file
    root: Path  # paths are shown relative to this folder
    package: Path  # folder of the student's package

    def kind(self, entry: Any) -> Kind:
        return _kind(file_of(entry), self.test, self.package)

    def short(self, path: Path) -> str:
        if _OURS in path.parents:
            return path.relative_to(_OURS.parent).as_posix()
        return path.relative_to(self.root).as_posix() if self.root in path.parents else str(path)

    def where(self, entry: Any) -> str:
        """`resource_accounting/floats.py:12 decode`."""
        return f"{self.short(Path(file_of(entry)))}:{entry.lineno + 1} {entry.name}"

    def shown(self, entries: Sequence[Any], with_values: bool = False) -> list[str]:
        """Each place with its statement (and values); repeats once, some in the middle left out."""
        lines: list[str] = []
        for entry, repeats in _without_repeats(entries):
            if repeats is None:
                lines.append("… more calls …")
                continue
            lines.append(self.where(entry))
            code = textwrap.dedent(str(entry.statement)).strip().splitlines()
            if len(code) > _SHOWN_STATEMENT_LINES:
                code = [*code[:_SHOWN_STATEMENT_LINES], "…"]
            if self.kind(entry) == "test" and len(code) > 1:
                code = [code[0] + " …"]  # the expected value and the hint are for another failure
            lines += [f"    {line}" for line in code]
            if with_values:
                lines += [f"    {name} is {value}" for name, value in local_values(entry)]
            if repeats > 1:
                lines.append(f"    … {repeats} times")
        return lines


def _without_repeats(entries: Sequence[Any]) -> list[tuple[Any, int | None]]:
    """The places, each with how often it comes in a row; (None, None) where some are left out."""
    runs: list[tuple[Any, int | None]] = []
    for _, group in itertools.groupby(entries, key=lambda entry: (file_of(entry), entry.lineno)):
        same = list(group)
        # Not counted: the frames of generator expressions, which are in the same line.
        runs.append((same[0], sum(entry.name == same[0].name for entry in same)))
    if len(runs) > 2 * _SHOWN_PLACES:
        runs[_SHOWN_PLACES:-_SHOWN_PLACES] = [(None, None)]
    return runs


def local_values(entry: Any) -> Iterator[tuple[str, str]]:
    """The first local variables of the loop that was running, or of the function, as text."""
    found = {k: v for k, v in entry.frame.f_locals.items() if not k.startswith("__")}
    loop = _loop_at(entry)
    names = _variable_names(loop) if loop is not None else list(found)
    hidden = (types.ModuleType, types.FunctionType, type)
    names = [n for n in names if n in found and not isinstance(found[n], hidden)]
    for name in names[:_SHOWN_VALUES]:
        yield name, cut(literal(found[name]), _SHOWN_VALUE)


@functools.cache
def _nodes(path: str) -> list[tuple[int, int, ast.AST]]:
    """The syntax nodes of a file with their first and last lines, from the outside in; [] if it
    cannot be read. Cached: every failure of a test looks for its line here."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return []
    return [
        (node.lineno, node.end_lineno or 0, node)
        for node in ast.walk(tree)
        if isinstance(node, _PLACED)
    ]


def _nodes_around(entry: Any | None) -> list[ast.AST]:
    """The syntax nodes that contain the line of a place, from the outside in."""
    if entry is None:
        return []
    line = entry.lineno + 1
    return [node for first, last, node in _nodes(file_of(entry)) if first <= line <= last]


def _loop_at(entry: Any) -> ast.AST | None:
    """The outermost loop at a place, within the innermost function."""
    loop: ast.AST | None = None
    for node in _nodes_around(entry):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            loop = None
        elif loop is None and isinstance(node, ast.While | ast.For | ast.AsyncFor):
            loop = node
    return loop


def _variable_names(node: ast.AST) -> list[str]:
    """The variables in a piece of code, each once: those that it assigns come first."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    names.sort(key=lambda n: not isinstance(n.ctx, ast.Store))
    return list(dict.fromkeys(n.id for n in names))


def refusal_at(entry: Any | None) -> str:
    """The exception that a test expects here, by `with pytest.raises(…)`; "" for none."""
    for node in reversed(_nodes_around(entry)):
        for item in node.items if isinstance(node, ast.With) else ():
            call = item.context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.raises":
                first = call.args[0]
                kinds = first.elts if isinstance(first, ast.Tuple) else [first]
                return " or ".join(ast.unparse(kind) for kind in kinds)
    return ""


def expected_at(entry: Any | None) -> str:
    """What the test's statement expects: the first argument of `equals` or `close`.

    Its value, or its source if it calls something or has no value here; "" if there is none.
    """
    statements = [node for node in _nodes_around(entry) if isinstance(node, ast.Expr)]
    for node in itertools.chain.from_iterable(map(ast.walk, statements)):
        match node:
            case ast.Call(func=ast.Attribute(attr="equals" | "close"), args=[expected, *_]):
                return _value_or_source(expected, entry)
    return ""


def _value_or_source(node: ast.expr, entry: Any) -> str:
    """The value of an expression at a place; its source if it calls something, or cannot be had."""
    source = ast.unparse(node)
    if any(isinstance(part, ast.Call | ast.NamedExpr | ast.Await) for part in ast.walk(node)):
        return source
    try:
        return show(eval(source, entry.frame.f_globals, dict(entry.frame.f_locals)))
    except Exception:
        return source


def culprit_at(entry: Any) -> tuple[str, Any, str] | None:
    """The value whose item or attribute a test could not get: its source, itself, and the use.

    In `result[0]` that is ("result", its value, "[0]"). Evaluates the uses in the statement again,
    from the inside out and without those that call something, and returns the first that fails.
    """
    scope = dict(entry.frame.f_locals)
    inner = next((n for n in reversed(_nodes_around(entry)) if isinstance(n, ast.stmt)), ast.Pass())
    uses = [n for n in ast.walk(inner) if isinstance(n, ast.Subscript | ast.Attribute)]
    for use in reversed(uses):
        if any(isinstance(part, ast.Call) for part in ast.walk(use)):
            continue
        source = ast.unparse(use.value)
        try:
            value = eval(source, entry.frame.f_globals, scope)
        except Exception:
            continue
        try:
            eval(ast.unparse(use), entry.frame.f_globals, scope)
        except Exception:
            return source, value, ast.unparse(use).removeprefix(source)
    return None
