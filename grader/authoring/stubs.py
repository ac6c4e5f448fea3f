"""Turns a reference module into its stub: the file that a student fills in.

Kept: the module's docstring, imports, `__all__` and other dunder names, type aliases and type
variables, and every function and class that an exercise names, with decorators, signature and
docstring. The body of each function and method becomes `raise NotImplementedError`; private methods
are removed.

Removed: everything else, with the comments above it; also constants, since a table is often the
answer. A statement stays if

- the comment line `# handout: keep` is above it (the marker is removed), or
- a kept signature needs it and it is plain data: an assignment, or a class without methods.

It is an error if a kept signature needs a removed function, or a class with methods.

The text is valid Python but not formatted: ruff does that (`handout.format_stubs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import libcst as cst

from assignment.manifest import ManifestError
from grader.authoring.statements import (
    defined_names,
    is_docstring,
    is_import,
    is_plain_data,
    is_private,
    is_type,
    last_name,
    leading_lines,
    used_names,
)

MARKER = "# handout: keep"


class StubError(ManifestError):
    """A stub cannot be made; the message names the module, the name and what to do."""


def message_of(exercise: str, chapter: str) -> str:
    """The message of a stub's NotImplementedError."""
    return (
        f"{exercise}: not started; see assignment/writeup/{chapter}.md, or make hint EX={exercise}"
    )


def stub_module(
    source: str,
    messages: Mapping[str, str],
    *,
    name: str = "module",
    siblings: Mapping[str, set[str]] | None = None,
) -> str:
    """The stub of a reference module, not formatted.

    Args:
        messages: the message of each function or class that becomes a stub, by name.
        name: the module's name, for errors.
        siblings: by module, the names that its stub defines; relative imports of other names are
            removed. None leaves all imports as they are.

    Raises:
        StubError: `messages` has a name that the module does not define, or a kept signature needs
            something that is removed.
    """
    module = _module(source)
    defined = {d for statement in module.body for d in defined_names(statement)}
    if absent := [wanted for wanted in messages if wanted not in defined]:
        raise StubError(f"{name}.py does not define {', '.join(absent)}, which an exercise names")

    kept: dict[int, cst.BaseStatement] = {}
    for position, statement in enumerate(module.body):
        stub = _stub_statement(statement, messages, first=position == 0)
        if stub is not None and siblings is not None:
            stub = _without_removed_imports(stub, siblings)
        if stub is not None:
            kept[position] = stub
    _keep_what_signatures_need(module, kept, name)

    body = [kept[position] for position in sorted(kept)]
    header = [line for line in module.header if not _is_marker(line)]
    return module.with_changes(header=header, body=body).code.rstrip("\n") + "\n"


@lru_cache(maxsize=128)  # a module is read twice, and again by the next build
def _module(source: str) -> cst.Module:
    return cst.parse_module(source)


def kept_names(source: str) -> set[str]:
    """The names that a module defines or imports at its top level."""
    return {name for s in _module(source).body for name in defined_names(s)}


def is_empty(source: str) -> bool:
    """Whether a module holds only a docstring and imports."""
    return all(is_docstring(s) or is_import(s) for s in _module(source).body)


# One statement


def _stub_statement(
    statement: cst.BaseStatement, messages: Mapping[str, str], first: bool
) -> cst.BaseStatement | None:
    """The statement as in the handout; None if it is removed."""
    if _is_marked(statement):
        return _unmarked(statement)
    match statement:
        case cst.FunctionDef(name=cst.Name(value=name)) if name in messages:
            return _stub_function(statement, messages[name])
        case cst.ClassDef(name=cst.Name(value=name)) if name in messages:
            return _stub_class(statement, messages[name])
        case cst.FunctionDef() | cst.ClassDef():
            return None
    if is_import(statement) or is_type(statement) or (first and is_docstring(statement)):
        return statement
    names = defined_names(statement)
    is_dunder = all(name.startswith("__") and name.endswith("__") for name in names)
    return statement if names and is_dunder else None


def _stub_function(function: cst.FunctionDef, message: str) -> cst.FunctionDef:
    """Its signature and docstring, with `raise` as the body; an overload has no code and stays."""
    if any(last_name(d.decorator) == "overload" for d in function.decorators):
        return function
    docstring = [s for s in function.body.body[:1] if is_docstring(s)]
    body = cst.IndentedBlock([*docstring, _raise(message)])  # type: ignore[list-item]
    return function.with_changes(body=body)


def _raise(message: str) -> cst.BaseStatement:
    """`raise NotImplementedError("…")`, in two strings: ruff joins them if they fit on a line."""
    start, comma, end = message.rpartition(", ")
    text = f'"{start}{comma}" "{end}"' if comma else f'"{message}"'
    return cst.parse_statement(f"raise NotImplementedError({text})\n")


def _stub_class(node: cst.ClassDef, message: str) -> cst.ClassDef:
    if not isinstance(node.body, cst.IndentedBlock):
        return node
    body: list[cst.BaseStatement] = []
    for position, statement in enumerate(node.body.body):
        if _is_marked(statement):
            statement = _unmarked(statement)
        elif isinstance(statement, cst.FunctionDef):
            if is_private(statement.name.value):
                continue
            statement = _stub_function(statement, message)
        elif isinstance(statement, cst.ClassDef) or (
            position > 0 and any(is_private(name) for name in defined_names(statement))
        ):
            continue
        body.append(statement)
    block = node.body.with_changes(body=body or [cst.parse_statement("pass")], footer=[])
    return node.with_changes(body=block)


# What kept signatures need


def _keep_what_signatures_need(
    module: cst.Module, kept: dict[int, cst.BaseStatement], name: str
) -> None:
    """Adds the plain data that kept statements need; raises StubError if they need code."""
    position_of = {d: i for i, s in enumerate(module.body) for d in defined_names(s)}
    todo = list(kept)
    while todo:
        position = todo.pop()
        for needed in used_names(kept[position]):
            at = position_of.get(needed)
            if at is None:
                continue
            if at in kept:
                if needed in defined_names(kept[at]):
                    continue
            elif is_plain_data(module.body[at]):
                kept[at] = module.body[at]
                todo.append(at)
                continue
            user = ", ".join(sorted(defined_names(kept[position]))) or "a statement"
            raise StubError(
                f"{name}.py: {user} needs {needed}, which the handout leaves out; "
                f"put the line '{MARKER}' directly above it"
            )


def _without_removed_imports(
    statement: cst.BaseStatement, siblings: Mapping[str, set[str]]
) -> cst.BaseStatement | None:
    """The statement without relative imports of removed names; None if none is left."""
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.ImportFrom(relative=[cst.Dot()], module=source, names=[*aliases]) as line]
        ):
            pass
        case _:
            return statement

    def stays(alias: cst.ImportAlias) -> bool:
        target = last_name(alias.name)
        return target in (siblings if source is None else siblings.get(last_name(source), set()))

    kept = [alias for alias in aliases if stays(alias)]
    if len(kept) == len(aliases):
        return statement
    if not kept:
        return None
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return statement.with_changes(body=[line.with_changes(names=kept)])


# The marker


def _is_marker(line: cst.EmptyLine) -> bool:
    return line.comment is not None and line.comment.value.strip() == MARKER


def _is_marked(statement: cst.CSTNode) -> bool:
    after_decorators: Sequence[cst.EmptyLine] = getattr(statement, "lines_after_decorators", ())
    return any(map(_is_marker, [*leading_lines(statement), *after_decorators]))


def _unmarked(statement: cst.BaseStatement) -> cst.BaseStatement:
    """The statement without the markers above it and inside it."""

    class Strip(cst.CSTTransformer):
        def leave_EmptyLine(
            self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine
        ) -> cst.EmptyLine | cst.RemovalSentinel:
            return cst.RemoveFromParent() if _is_marker(original_node) else updated_node

    stripped = statement.visit(Strip())
    assert isinstance(stripped, cst.BaseStatement)
    return stripped
