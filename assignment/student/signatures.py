"""Whether a student's function takes the parameters of the handout's stub."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from pathlib import Path
from typing import Any

STUBS = Path(__file__).parents[1] / "stubs"  # only in a handout


def changed(package: str, target: str) -> tuple[str, str] | None:
    """The signatures (the student's, the handout's) of a function whose parameters were changed.

    None if calls of the handout's form still work (a further parameter may have a default), or the
    module is not imported. The student's is "" if the function is gone.
    """
    module, _, name = target.partition(".")
    stub = _stub(module, name)
    if stub is None or (found := sys.modules.get(f"{package}.{module}")) is None:
        return None
    function = getattr(found, name, None)
    if function is None:
        return "", _text(name, stub)
    if not inspect.isfunction(function):
        return None
    own = inspect.signature(function)
    return None if _fits(own, stub) else (_text(name, own), _text(name, stub))


def returns(target: str) -> str:
    """What a function returns by the annotation of its stub; "" if that is not known."""
    node = _stub_node(*target.split(".", 1))
    return ast.unparse(node.returns) if node is not None and node.returns is not None else ""


def _stub(module: str, name: str) -> inspect.Signature | None:
    """The signature of a stub, without annotations."""
    node = _stub_node(module, name)
    return None if node is None else _signature(node.args)


@functools.cache
def _stub_node(module: str, name: str) -> ast.FunctionDef | None:
    try:
        tree = ast.parse((STUBS / f"{module}.py").read_text(encoding="utf-8"))
    except OSError:
        return None
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return next((node for node in functions if node.name == name), None)


def _signature(arguments: ast.arguments) -> inspect.Signature:
    """As `inspect.signature` gives it; a default is the text of its expression."""
    kinds = inspect.Parameter
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    defaults: list[ast.expr | None] = [None] * first + [*arguments.defaults]
    made = [
        _parameter(a.arg, kinds.POSITIONAL_OR_KEYWORD, d)
        for a, d in zip(positional, defaults, strict=True)
    ]
    if arguments.vararg:
        made.append(_parameter(arguments.vararg.arg, kinds.VAR_POSITIONAL, None))
    made += [
        _parameter(a.arg, kinds.KEYWORD_ONLY, d)
        for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        made.append(_parameter(arguments.kwarg.arg, kinds.VAR_KEYWORD, None))
    return inspect.Signature(made)


class _Source(str):
    """The text of a default's expression; shown as it is written."""

    def __repr__(self) -> str:
        return str(self)


def _parameter(name: str, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    given = inspect.Parameter.empty if default is None else _Source(ast.unparse(default))
    return inspect.Parameter(name, kind, default=given)


def _fits(own: inspect.Signature, stub: inspect.Signature) -> bool:
    """Whether every call that the stub takes has the same meaning for `own`."""
    kinds = inspect.Parameter
    if any(p.kind is kinds.VAR_POSITIONAL for p in own.parameters.values()):
        return True  # it may look at its arguments itself
    mine, theirs = list(own.parameters.values()), list(stub.parameters.values())
    in_order = [p.name for p in theirs if p.kind is kinds.POSITIONAL_OR_KEYWORD]
    if [p.name for p in mine if p.kind is kinds.POSITIONAL_OR_KEYWORD][: len(in_order)] != in_order:
        return False
    takes_any = any(p.kind is kinds.VAR_KEYWORD for p in mine)
    for p in theirs:
        counterpart = own.parameters.get(p.name)
        if counterpart is None:
            if not takes_any:
                return False
        elif p.default is not p.empty and counterpart.default is p.empty:
            return False
    return all(
        p.name in stub.parameters or p.default is not p.empty or p.kind is kinds.VAR_KEYWORD
        for p in mine
    )


def _text(name: str, signature: inspect.Signature) -> str:
    """`matmul_flops(n, k, m)`, without annotations."""
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    return f"{name}{text}"
