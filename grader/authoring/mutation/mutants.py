"""The mutants of a module: each is the module with one small change.

Never changed: docstrings, annotations and type aliases, imports, `__all__`, assertions, the
`strict` of a `zip`, the text of raised errors, and what says "no cover" and why.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

import libcst as cst

from grader.authoring.mutation import calls, expressions, statements
from grader.authoring.mutation.edits import Edit, Edits
from grader.authoring.mutation.names import bound_names, parameters, type_aliases
from grader.authoring.mutation.source import Source, dotted

MODULE_SCOPE = "<module>"  # the scope of code outside of functions, classes and constants
# Each takes a node and yields the small changes of one kind that a test should notice. An edit may
# be invalid: what does not compile is dropped.
OPERATORS: tuple[Callable[[cst.CSTNode, Source], Edits], ...] = (
    expressions.arithmetic,
    expressions.unary,
    expressions.comparison,
    expressions.boolean,
    expressions.negation,
    expressions.ternary,
    expressions.unfiltered,
    expressions.number,
    expressions.string,
    expressions.literal,
    calls.argument,
    calls.call,
    expressions.bounds,
    expressions.element,
    expressions.function,
    statements.augmented,
    statements.returned,
    statements.statement,
    statements.loop,
    statements.raised,
    statements.handler,
    statements.decorator,
    statements.context,
)


@dataclass(frozen=True)
class Mutant:
    """One change. Module, function, both texts and `occurrence` identify it, not its line."""

    module: str
    scope: str  # the top-level function, class or constant that holds the change
    function: str  # the same with the method, such as `AdamW.step`
    operator: str
    line: int  # where the change begins
    original: str  # the lines that change, dedented
    mutated: str
    occurrence: int  # 1 for the first such change in the function, 2 for the second, and so on
    text: str = field(repr=False)  # of the changed module

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What identifies the mutant."""
        return self.module, self.function, self.original, self.mutated, self.occurrence

    @property
    def id(self) -> str:
        """Ten hexadecimal digits, made from what identifies the mutant."""
        return hashlib.sha256("\0".join(map(str, self.key)).encode()).hexdigest()[:10]


def mutants_of(module: str, text: str) -> list[Mutant]:
    """Every mutant of a module's source that compiles, in the order of the text.

    Left out are those with the syntax tree of the module itself or of an earlier mutant.
    """
    walk = _Walk(text)
    chunks = list(_chunks(text))
    found: list[Mutant] = []
    seen = {(chunk.start, _tree(chunk.text)) for chunk in chunks}
    counts: dict[tuple[str, str, str], int] = {}
    for function, edit in walk.edits():
        chunk = next(c for c in chunks if c.start <= edit.start < c.end)
        tree = _tree(_apply(chunk.text.encode(), edit, chunk.start))
        if tree is None or (chunk.start, tree) in seen:
            continue
        seen.add((chunk.start, tree))
        mutated = _apply(walk.source.data, edit, 0)
        lines = _changed_lines(text, mutated)
        occurrence = counts[function, *lines] = counts.get((function, *lines), 0) + 1
        line = walk.source.line(edit.start)
        scope = function.partition(".")[0]
        found.append(
            Mutant(module, scope, function, edit.operator, line, *lines, occurrence, mutated)
        )
    return found


def sampled(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draws `count` mutants by the seed; editing other lines of the module changes no draw."""
    drawn = sorted(mutants, key=lambda m: hashlib.sha256(f"{seed} {m.id}".encode()).digest())
    kept = {id(mutant) for mutant in drawn[:count]}
    return [mutant for mutant in mutants if id(mutant) in kept]


def diff(original: str, mutant: Mutant, path: str) -> list[str]:
    """The change as the lines of a unified diff."""
    before, after = original.splitlines(), mutant.text.splitlines()
    return list(difflib.unified_diff(before, after, path, path, lineterm="", n=2))


# --- the text ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Chunk:
    """A top-level statement as whole lines; positions are in bytes."""

    start: int
    end: int
    text: str


def _chunks(text: str) -> Iterator[_Chunk]:
    """The top-level statements: an edit of one is compiled without the others, which is quicker."""
    lines = text.encode().splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        start, end = offsets[first - 1], offsets[node.end_lineno or node.lineno]
        yield _Chunk(start, end, b"".join(lines)[start:end].decode())


def _apply(data: bytes, edit: Edit, base: int) -> str:
    start, end = edit.start - base, edit.end - base
    return (data[:start] + edit.text.encode() + data[end:]).decode()


def _tree(text: str) -> str | None:
    """The syntax tree of a statement as text, for comparison; None if it does not compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `x is 0`, a call of a number
        try:
            tree = ast.parse(text)
            compile(tree, "mutant", "exec")
        except (SyntaxError, ValueError):
            return None
    return ast.dump(tree)


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, of both texts, dedented."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return textwrap.dedent("\n".join(old)).strip(), textwrap.dedent("\n".join(new)).strip()


# --- the tree ------------------------------------------------------------------------------------


class _Walk:
    """Walks through a module once, in the order of its text."""

    def __init__(self, text: str) -> None:
        self.source = Source(text)
        self._for_types_only = type_aliases(text)

    def edits(self) -> Iterator[tuple[str, Edit]]:
        """Each edit with the function that holds it."""
        for statement in self.source.module.body:
            yield from self._visit(statement, MODULE_SCOPE, set())

    def _visit(
        self, node: cst.CSTNode, function: str, bound: set[str]
    ) -> Iterator[tuple[str, Edit]]:
        """Edits of a node and those below; `bound`: names that the function has bound so far."""
        if _is_skipped(node) or self._is_type_alias(node):
            return
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            name = node.name.value
            function = name if function == MODULE_SCOPE else f"{function}.{name}"
            bound = parameters(node) if isinstance(node, cst.FunctionDef) else set()
        elif function == MODULE_SCOPE and (names := bound_names(node)):
            function = min(names)  # a constant
        if _is_cast(node):
            yield from self._visit(node.args[1], function, bound)
            return
        for operator in OPERATORS:
            for edit in operator(node, self.source):
                if edit.operator != "statement" or bound_names(node) <= bound:
                    yield function, edit
        if isinstance(node, cst.Raise | cst.Decorator):
            return
        for child in node.children:
            if not calls.is_strict(child, node):
                yield from self._visit(child, function, bound)
        bound |= bound_names(node)

    def _is_type_alias(self, node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Assign | cst.AnnAssign) or not (names := bound_names(node)):
            return False
        if any(isinstance(holder, cst.FunctionDef) for holder in self.source.parents(node)):
            return False
        return names <= self._for_types_only or all(name.startswith("__") for name in names)


def _is_skipped(node: cst.CSTNode) -> bool:
    match node:
        case cst.Import() | cst.ImportFrom() | cst.Annotation() | cst.Assert() | cst.TypeAlias():
            return True
        case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString() | cst.Ellipsis()):
            return True
        case cst.If(test=cst.Name(value="TYPE_CHECKING")):
            return True
        case cst.FunctionDef() | cst.ClassDef():
            return _is_never_run(node)
    return False


def _is_never_run(node: cst.FunctionDef | cst.ClassDef) -> bool:
    """Whether a comment on its first line says that no test can run it, and why."""
    comment = getattr(getattr(node.body, "header", None), "comment", None)
    return comment is not None and comment.value.startswith("# pragma: no cover: ")


def _is_cast(node: cst.CSTNode) -> TypeGuard[cst.Call]:
    """Whether this is a call of `typing.cast`, which does nothing at run time."""
    if not isinstance(node, cst.Call) or len(node.args) != 2:
        return False
    return dotted(node.func) in ("cast", "typing.cast")
