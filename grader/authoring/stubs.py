"""Turns a reference module into its stub: what a student gets to fill in.

Kept: the module's docstring, imports, `__all__` and its like, type aliases and type variables, and
every function and class that an exercise names, with decorators, signature and docstring. Their
bodies become `raise NotImplementedError`; of a class, every method's, while private methods go.

Removed: everything else, constants too, since a table is often the answer. Two things bring a
statement back:

- the comment line `# handout: keep` directly above it (the marker itself goes), and
- a kept signature that needs it, if it is plain data: an assignment, or a class without methods.

A kept signature that needs a removed function, or a class with methods, is an error that says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

import libcst as cst

MARKER = "# handout: keep"
WIDTH = 100


class StubError(Exception):
    """A module cannot be made a stub; the message names the module, the name and what to do."""


def message_of(exercise: str, chapter: str) -> str:
    """What a stub says when it is called."""
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
    """The stub of a module.

    Args:
        source: the reference module.
        messages: what the stub of each function or class says, by its name in the module.
        name: the module's name, for errors.
        siblings: the names that each module of the package keeps; a relative import of another
            name goes. None leaves all imports as they are.

    Raises:
        StubError: `messages` names something that the module lacks, or a kept signature needs
            something that would be removed.
    """
    module = cst.parse_module(source)
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

    body: list[cst.BaseStatement] = []
    carried: list[cst.EmptyLine] = []  # comments of their own above a statement that goes
    for position, statement in enumerate(module.body):
        if position not in kept:
            carried += _own_comments(_leading_lines(statement))
            continue
        body.append(_spaced(kept[position], carried, body[-1] if body else None))
        carried = []
    footer = [*_spaced_comments(carried), *module.footer]
    header = module.header if module.body and 0 in kept else _strip_marker(module.header)
    return module.with_changes(header=header, body=body, footer=footer).code.rstrip("\n") + "\n"


def kept_names(source: str) -> set[str]:
    """The names that a module defines or imports at its top level."""
    return {name for s in cst.parse_module(source).body for name in defined_names(s)}


def is_empty(source: str) -> bool:
    """Whether nothing but a docstring and imports is left of a module."""
    return all(_is_docstring(s) or _is_import(s) for s in cst.parse_module(source).body)


def defined_names(statement: cst.CSTNode) -> set[str]:
    """The names that a top-level statement binds."""
    names: set[str] = set()
    for node in ast.parse(_code(statement)).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Import() | ast.ImportFrom():
                names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
            case _:
                names |= {
                    n.id
                    for n in ast.walk(node)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                }
    return names


# One statement


def _stub_statement(
    statement: cst.BaseStatement, messages: Mapping[str, str], first: bool
) -> cst.BaseStatement | None:
    """The statement as the handout has it, or None where it goes."""
    if _is_marked(statement):
        return _unmarked(statement)
    match statement:
        case cst.FunctionDef(name=cst.Name(value=name)) if name in messages:
            return _stub_function(statement, messages[name], indent=0)
        case cst.ClassDef(name=cst.Name(value=name)) if name in messages:
            return _stub_class(statement, messages[name])
        case cst.FunctionDef() | cst.ClassDef():
            return None
    if _is_import(statement) or _is_type(statement) or (first and _is_docstring(statement)):
        return statement
    if names := defined_names(statement):
        dunder = all(name.startswith("__") and name.endswith("__") for name in names)
        return statement if dunder else None
    return None


def _stub_function(function: cst.FunctionDef, message: str, indent: int) -> cst.FunctionDef:
    if any(_last_name(d.decorator) == "overload" for d in function.decorators):
        return function
    docstring = [s for s in function.body.body[:1] if _is_docstring(s)]
    body = cst.IndentedBlock([*docstring, _raise(message, indent + 4)])  # type: ignore[list-item]
    return function.with_changes(body=body)


def _stub_class(node: cst.ClassDef, message: str) -> cst.ClassDef:
    if not isinstance(node.body, cst.IndentedBlock):
        return node
    body: list[cst.BaseStatement] = []
    for position, statement in enumerate(node.body.body):
        if _is_marked(statement):
            statement = _unmarked(statement)
        elif isinstance(statement, cst.FunctionDef):
            if _is_private(statement.name.value):
                continue
            statement = _stub_function(statement, message, indent=4)
        elif isinstance(statement, cst.ClassDef) or (
            position > 0 and any(_is_private(name) for name in defined_names(statement))
        ):
            continue
        body.append(statement)
    block = node.body.with_changes(body=body or [cst.parse_statement("pass")], footer=[])
    return node.with_changes(body=block)


def _raise(message: str, indent: int) -> cst.BaseStatement:
    """`raise NotImplementedError("…")`, broken where the formatter would break it."""
    quoted = f'"{message}"'
    if indent + len(f"raise NotImplementedError({quoted})") <= WIDTH:
        return cst.parse_statement(f"raise NotImplementedError({quoted})\n")
    if indent + 4 + len(quoted) > WIDTH:
        cut = message.rfind(", ", 0, WIDTH - indent - 6) + 2
        quoted = f'"{message[:cut]}"\n    "{message[cut:]}"'
    return cst.parse_statement(f"raise NotImplementedError(\n    {quoted}\n)\n")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def _is_docstring(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=value)]) | cst.Expr(value=value):
            return isinstance(value, cst.SimpleString | cst.ConcatenatedString)
    return False


def _is_import(statement: cst.CSTNode) -> bool:
    """An import, or a compound statement that holds nothing but imports."""
    imports = ast.Import | ast.ImportFrom
    compound = ast.If | ast.Try
    (node, *rest) = ast.parse(_code(statement)).body or [ast.Pass()]
    if rest or not isinstance(node, imports | compound):
        return all(isinstance(n, imports) for n in [node, *rest])
    simple = [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.stmt) and not isinstance(n, imports | compound)
    ]
    return not simple


def _is_type(statement: cst.CSTNode) -> bool:
    """`X: TypeAlias = …`, `type X = …`, or `T = TypeVar(…)` and its kin."""
    match ast.parse(_code(statement)).body:
        case [ast.AnnAssign(annotation=ast.Name(id="TypeAlias"))]:
            return True
        case [ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec" | "NewType")))]:
            return True
        case [node]:
            return type(node).__name__ == "TypeAlias"  # `type X = …`, from Python 3.12
    return False


# What kept signatures need


def _keep_what_signatures_need(
    module: cst.Module, kept: dict[int, cst.BaseStatement], name: str
) -> None:
    """Adds the plain data that kept statements name; raises StubError for removed code."""
    home = {d: i for i, s in enumerate(module.body) for d in defined_names(s)}
    todo = list(kept)
    while todo:
        position = todo.pop()
        for needed in _loaded_names(kept[position]):
            at = home.get(needed)
            if at is None:
                continue
            if at in kept:
                if needed in defined_names(kept[at]):
                    continue
            elif _is_plain_data(module.body[at]):
                kept[at] = module.body[at]
                todo.append(at)
                continue
            user = ", ".join(sorted(defined_names(kept[position]))) or "a statement"
            raise StubError(
                f"{name}.py: {user} needs {needed}, which the handout leaves out; "
                f"put the line '{MARKER}' directly above it"
            )


def _loaded_names(statement: cst.CSTNode) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(_code(statement))) if isinstance(n, ast.Name)}


def _is_plain_data(statement: cst.CSTNode) -> bool:
    if isinstance(statement, cst.ClassDef):
        return not any(isinstance(s, cst.FunctionDef) for s in statement.body.body)
    return isinstance(statement, cst.SimpleStatementLine)


def _without_removed_imports(
    statement: cst.BaseStatement, siblings: Mapping[str, set[str]]
) -> cst.BaseStatement | None:
    """The statement without relative imports of names that the handout leaves out."""
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.ImportFrom(relative=[cst.Dot()], module=source, names=[*aliases]) as line]
        ):
            pass
        case _:
            return statement

    def stays(alias: cst.ImportAlias) -> bool:
        target = _last_name(alias.name)
        return target in (siblings if source is None else siblings.get(_last_name(source), set()))

    left = [alias for alias in aliases if stays(alias)]
    if len(left) == len(aliases):
        return statement
    if not left:
        return None
    left[-1] = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return statement.with_changes(body=[line.with_changes(names=left)])


def _last_name(node: cst.BaseExpression) -> str:
    match node:
        case cst.Name(value=value) | cst.Attribute(attr=cst.Name(value=value)):
            return value
    return ""


def _code(node: cst.CSTNode) -> str:
    return cst.Module(body=[node]).code  # type: ignore[list-item]


# Comments and blank lines


def _leading_lines(statement: cst.CSTNode) -> Sequence[cst.EmptyLine]:
    lines: Sequence[cst.EmptyLine] = getattr(statement, "leading_lines", ())
    return lines


def _is_marker(line: cst.EmptyLine) -> bool:
    return line.comment is not None and line.comment.value.strip() == MARKER


def _adjacent(lines: Sequence[cst.EmptyLine]) -> Sequence[cst.EmptyLine]:
    """The comment lines that stand directly above a statement."""
    start = len(lines)
    while start and lines[start - 1].comment is not None:
        start -= 1
    return lines[start:]


def _is_marked(statement: cst.CSTNode) -> bool:
    after_decorators: Sequence[cst.EmptyLine] = getattr(statement, "lines_after_decorators", ())
    return any(map(_is_marker, [*_adjacent(_leading_lines(statement)), *after_decorators]))


def _strip_marker(lines: Iterable[cst.EmptyLine]) -> list[cst.EmptyLine]:
    return [line for line in lines if not _is_marker(line)]


def _unmarked(statement: cst.BaseStatement) -> cst.BaseStatement:
    class Strip(cst.CSTTransformer):
        def leave_EmptyLine(
            self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine
        ) -> cst.EmptyLine | cst.RemovalSentinel:
            return cst.RemoveFromParent() if _is_marker(original_node) else updated_node

    stripped = statement.visit(Strip())
    assert isinstance(stripped, cst.BaseStatement)
    return stripped


def _own_comments(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """The comments above a removed statement that a blank line parts from it: a heading, say."""
    own = lines[: len(lines) - len(_adjacent(lines))]
    return [line for line in own if line.comment is not None and not _is_marker(line)]


def _spaced_comments(comments: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    blank = cst.EmptyLine(indent=False)
    return [blank, blank, *comments] if comments else []


def _spaced(
    stub: cst.BaseStatement, carried: Sequence[cst.EmptyLine], before: cst.BaseStatement | None
) -> cst.BaseStatement:
    """The statement with the blank lines above it that its new neighbour calls for."""
    lines = list(_leading_lines(stub))
    blanks = 0
    while lines and lines[0].comment is None:
        lines.pop(0)
        blanks += 1
    compound = (cst.FunctionDef, cst.ClassDef)
    if isinstance(stub, compound) or isinstance(before, compound):
        blanks = 2
    blank = cst.EmptyLine(indent=False)
    above = [*_spaced_comments(carried), *[blank] * min(blanks, 2), *lines]
    while before is None and above and above[0].comment is None:
        above.pop(0)
    return stub.with_changes(leading_lines=above)
