"""Functions and classes in the text of a module."""

from __future__ import annotations

import ast
import io


def replace_definition(text: str, stub: str, name: str) -> str:
    """The text with its function or class `name` replaced by that of the stub.

    If the text lacks it, it is added at the end. Raises SyntaxError if the text is not Python.
    """
    new = _line_range(stub, name)
    assert new is not None, name
    # `splitlines` would split at form feeds too, which end no line of Python's.
    lines, stub_lines = io.StringIO(text).readlines(), io.StringIO(stub).readlines()
    definition = "".join(stub_lines[new[0] : new[1]])
    if (old := _line_range(text, name)) is None:
        return text.rstrip("\n") + "\n\n\n" + definition
    return "".join([*lines[: old[0]], definition, *lines[old[1] :]])


def _line_range(text: str, name: str) -> tuple[int, int] | None:
    """Start and stop of the lines of the last top-level definition of a name, with decorators."""
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            assert node.end_lineno is not None
            return first - 1, node.end_lineno
    return None
