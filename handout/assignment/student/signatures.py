"""Whether a student's function takes the parameters of the handout's stub."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from pathlib import Path
from typing import NamedTuple

STUBS = Path(__file__).parents[1] / "stubs"  # only in a handout


def changed_signature(package: str, target: str) -> tuple[str, str] | None:
    """The student's and the handout's signatures of a function that takes other calls now.

    None if calls of the handout's form still work (a further parameter may have a default), or the
    module is not imported. The student's is "" if the function is gone.
    """
    module, _, name = target.partition(".")
    stub = _stub(module, name)
    if stub is None or (found := sys.modules.get(f"{package}.{module}")) is None:
        return None
    function = getattr(found, name, None)
    if function is None:
        return "", stub.text
    if not inspect.isfunction(function):
        return None
    own = inspect.signature(function)
    if _accepts_calls_of(own, stub.signature):
        return None
    bare = [p.replace(annotation=p.empty) for p in own.parameters.values()]
    return f"{name}{inspect.Signature(bare)}", stub.text


def returns(target: str) -> str:
    """What a function returns by the annotation of its stub; "" if that is not known."""
    stub = _stub(*target.split(".", 1))
    return stub.returns if stub else ""


class _Stub(NamedTuple):
    """A function of the handout. Its signature says only which parameters have a default."""

    signature: inspect.Signature
    text: str  # `matmul_flops(n, k, m)`, without annotations
    returns: str


@functools.cache
def _stub(module: str, name: str) -> _Stub | None:
    """A function's stub; None if it or the folder of stubs is missing."""
    try:
        tree = ast.parse((STUBS / f"{module}.py").read_text(encoding="utf-8"))
    except OSError:
        return None
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if (function := functions.get(name)) is None:
        return None
    parameters, none = function.args, ast.Constant(None)
    for part in ast.walk(parameters):
        if isinstance(part, ast.arg):
            part.annotation = None
    text = f"{name}({ast.unparse(parameters)})"
    parameters.defaults = [none for _ in parameters.defaults]
    parameters.kw_defaults = [default and none for default in parameters.kw_defaults]
    signature = inspect.signature(eval(f"lambda {ast.unparse(parameters)}: 0"))
    return _Stub(signature, text, ast.unparse(function.returns) if function.returns else "")


def _accepts_calls_of(own: inspect.Signature, stub: inspect.Signature) -> bool:
    """Whether every call that the stub accepts has the same meaning for `own`."""
    kinds = inspect.Parameter
    mine, theirs = list(own.parameters.values()), list(stub.parameters.values())
    if any(p.kind is kinds.VAR_POSITIONAL for p in mine):
        return True  # it may look at its arguments itself
    in_order = [p.name for p in theirs if p.kind is kinds.POSITIONAL_OR_KEYWORD]
    if [p.name for p in mine if p.kind is kinds.POSITIONAL_OR_KEYWORD][: len(in_order)] != in_order:
        return False
    takes_any = any(p.kind is kinds.VAR_KEYWORD for p in mine)
    for p in theirs:
        counterpart = own.parameters.get(p.name)
        if counterpart is None and not takes_any:
            return False
        if counterpart and p.default is not p.empty and counterpart.default is p.empty:
            return False
    return all(
        p.name in stub.parameters or p.default is not p.empty or p.kind is kinds.VAR_KEYWORD
        for p in mine
    )
