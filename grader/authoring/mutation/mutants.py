"""The mutants of a module: each is the module with one small change.

Left alone: docstrings, annotations and what serves them alone (type aliases), imports, `__all__`,
assertions, the `strict` of a `zip`, the text of raised errors, and placeholders: functions that are
not written yet.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

import libcst as cst

from grader.authoring.mutation.operators import OPERATORS, Edit, is_strict
from grader.authoring.mutation.source import Source, dotted

WHOLE = "<module>"  # the scope of what belongs to no function, class or constant


@dataclass(frozen=True)
class Mutant:
    """One change. Module, function, both texts and `occurrence` name it, whatever its line.

    Args:
        module: the module's name.
        scope: the function, class or constant at the module's top that holds the change.
        function: the same, down to a method: `AdamW.step`.
        operator: which kind of change this is.
        line: where the change begins.
        original: the lines that change, without their common indentation.
        mutated: what they become.
        occurrence: 1, or more where the function has the same change of the same lines earlier.
        text: the whole module, changed.
    """

    module: str
    scope: str
    function: str
    operator: str
    line: int
    original: str
    mutated: str
    occurrence: int
    text: str = field(repr=False)

    @property
    def id(self) -> str:
        """Ten digits that stay the same while the change itself does."""
        parts = (self.module, self.function, self.original, self.mutated, str(self.occurrence))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Mutants:
    """All mutants of a module, in the order of its text, and the functions not written yet."""

    module: str
    text: str
    mutants: tuple[Mutant, ...]
    placeholders: tuple[str, ...]


def mutants_of(module: str, text: str) -> Mutants:
    """Every mutant of a module that compiles and differs from the module and from all others."""
    walk = _Walk(text)
    chunks = list(_chunks(text))
    found: list[Mutant] = []
    seen = {(chunk.start, _tree(chunk.text)) for chunk in chunks}
    times: dict[tuple[str, str, str], int] = {}
    for function, edit in walk.edits():
        chunk = next(c for c in chunks if c.start <= edit.start < c.end)
        tree = _tree(_apply(chunk.text.encode(), edit, chunk.start))
        if tree is None or (chunk.start, tree) in seen:
            continue
        seen.add((chunk.start, tree))
        mutated = _apply(walk.source.data, edit, 0)
        lines = _changed_lines(text, mutated)
        occurrence = times[function, *lines] = times.get((function, *lines), 0) + 1
        line = walk.source.line(edit.start)
        scope = function.partition(".")[0]
        found.append(
            Mutant(module, scope, function, edit.operator, line, *lines, occurrence, mutated)
        )
    return Mutants(module, text, tuple(found), tuple(walk.placeholders))


def sampled(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many mutants, drawn by the seed; an edit elsewhere changes nothing of the draw."""
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
    """A statement at the module's top, by whole lines; positions are in bytes."""

    start: int
    end: int
    text: str


def _chunks(text: str) -> Iterator[_Chunk]:
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
    """A statement's syntax tree as text, to compare by; None if it does not compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `x is 0`, a call of a number
        try:
            tree = ast.parse(text)
            compile(tree, "mutant", "exec")
        except (SyntaxError, ValueError):
            return None
    return ast.dump(tree)


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, of both texts, each without its common indentation."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return textwrap.dedent("\n".join(old)).strip(), textwrap.dedent("\n".join(new)).strip()


# --- the tree ------------------------------------------------------------------------------------


class _Walk:
    """Goes through a module once, in the order of its text."""

    def __init__(self, text: str) -> None:
        self.source = Source(text)
        self.placeholders: list[str] = []
        self._for_types_only = _type_aliases(text)

    def edits(self) -> Iterator[tuple[str, Edit]]:
        """Each edit, with the function it lies in."""
        for statement in self.source.module.body:
            yield from self._visit(statement, WHOLE, set())

    def _visit(
        self, node: cst.CSTNode, function: str, bound: set[str]
    ) -> Iterator[tuple[str, Edit]]:
        """`bound` are the names that the function has given a value until here."""
        if _is_left_alone(node) or self._is_type_alias(node):
            return
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            name = node.name.value
            function = name if function == WHOLE else f"{function}.{name}"
            if _is_placeholder(node):
                self.placeholders.append(function)
                return
            bound = _parameters(node) if isinstance(node, cst.FunctionDef) else set()
        elif function == WHOLE and (names := _names(node)):
            function = min(names)  # a constant
        if _is_cast(node):
            yield from self._visit(node.args[1], function, bound)
            return
        for operator in OPERATORS:
            for edit in operator(node, self.source):
                if edit.operator != "statement" or _names(node) <= bound:
                    yield function, edit
        if isinstance(node, cst.Raise | cst.Decorator):
            return
        for child in node.children:
            if not is_strict(child, node):
                yield from self._visit(child, function, bound)
        bound |= _names(node)

    def _is_type_alias(self, node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Assign | cst.AnnAssign) or not (names := _names(node)):
            return False
        if any(isinstance(holder, cst.FunctionDef) for holder in self.source.parents(node)):
            return False
        return names <= self._for_types_only or all(name.startswith("__") for name in names)


def _is_left_alone(node: cst.CSTNode) -> bool:
    match node:
        case cst.Import() | cst.ImportFrom() | cst.Annotation() | cst.Assert() | cst.TypeAlias():
            return True
        case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString() | cst.Ellipsis()):
            return True
        case cst.If(test=cst.Name(value="TYPE_CHECKING")):
            return True
    return False


def _is_cast(node: cst.CSTNode) -> TypeGuard[cst.Call]:
    """Whether this is a call of `cast`, which is for types alone."""
    if not isinstance(node, cst.Call) or len(node.args) != 2:
        return False
    return dotted(node.func) in ("cast", "typing.cast")


def _is_placeholder(node: cst.FunctionDef | cst.ClassDef) -> bool:
    """Whether a function has no body but `raise NotImplementedError`."""
    if isinstance(node, cst.ClassDef):
        return False
    statements = [
        small
        for line in node.body.body
        for small in (line.body if isinstance(line, cst.SimpleStatementLine) else [line])
    ]
    return all(_says_nothing(statement) for statement in statements)


def _says_nothing(node: cst.CSTNode) -> bool:
    match node:
        case (
            cst.Raise(exc=cst.Name(value="NotImplementedError"))
            | cst.Raise(exc=cst.Call(func=cst.Name(value="NotImplementedError")))
        ):
            return True
        case cst.Pass():
            return True
    return isinstance(node, cst.Expr) and _is_left_alone(node)


def _parameters(node: cst.FunctionDef) -> set[str]:
    found = [*node.params.posonly_params, *node.params.params, *node.params.kwonly_params]
    stars = [node.params.star_arg, node.params.star_kwarg]
    found += [star for star in stars if isinstance(star, cst.Param)]
    return {parameter.name.value for parameter in found}


def _names(node: cst.CSTNode) -> set[str]:
    """The names that a node binds: that of an assignment, a loop, a `with`, a definition."""
    match node:
        case cst.SimpleStatementLine(body=small):
            return set().union(*map(_names, small))
        case cst.Assign(targets=targets):
            return set().union(*(_names_in(target.target) for target in targets))
        case cst.AnnAssign(target=target, value=value) if value is not None:
            return _names_in(target)
        case cst.For(target=target) | cst.NamedExpr(target=target):
            return _names_in(target)
        case cst.With(items=items):
            return set().union(*(_names_in(i.asname.name) for i in items if i.asname))
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return {name.value}
    return set()


def _names_in(target: cst.BaseExpression) -> set[str]:
    match target:
        case cst.Name(value=value):
            return {value}
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return set().union(*(_names_in(element.value) for element in elements))
    return set()


def _type_aliases(text: str) -> set[str]:
    """The names that are used in annotations, and in values of other such names, alone."""
    tree = ast.parse(text)
    values = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    annotations = [
        annotation
        for node in ast.walk(tree)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if isinstance(annotation, ast.expr)
    ]
    inside = {id(node) for annotation in annotations for node in ast.walk(annotation)}
    used = {n.id for a in annotations for n in ast.walk(a) if isinstance(n, ast.Name)}
    aliases = used & values.keys()
    while True:
        for name in aliases:
            inside |= {id(node) for node in ast.walk(values[name])}
        elsewhere = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and id(node) not in inside
        }
        of_aliases = {
            node.id
            for name in aliases
            for node in ast.walk(values[name])
            if isinstance(node, ast.Name)
        }
        wider = (aliases | (of_aliases & values.keys())) - elsewhere
        if wider == aliases:
            return aliases
        aliases = wider
