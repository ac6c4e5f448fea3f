"""Mutation operators for calls: their arguments, and the function that is called."""

from __future__ import annotations

import builtins
import inspect
import math

import libcst as cst

from grader.authoring.mutation.edits import Edit, Edits, replaced, span_without
from grader.authoring.mutation.source import Source, dotted

_OPPOSITES = {
    "min": "max",
    "any": "all",
    "floor": "ceil",
    "argmin": "argmax",
    "amin": "amax",
    "minimum": "maximum",
    "zeros": "ones",
    "zeros_like": "ones_like",
    "removeprefix": "removesuffix",
    "startswith": "endswith",
}
# The called function, by the last part of its name, and what replaces it.
_REPLACEMENTS = {
    "sum": "max",
    "prod": "sum",
    "log": "exp",
    "log2": "log",
    **_OPPOSITES,
    **{other: one for one, other in _OPPOSITES.items()},
}
_WRAPPERS = ("abs", "float", "int", "math.sqrt", "reversed", "round", "sorted")
_SYMMETRIC = ("max", "min", "torch.maximum", "torch.minimum")
_NEED_ARGUMENT = ("max", "min", "range", "slice")  # `inspect` knows no signature of them


def argument(node: cst.CSTNode, source: Source) -> Edits:
    """`f(a, b, c=d)` → without each argument in turn; with positional neighbours swapped"""
    if not isinstance(node, cst.Call):
        return
    for i, omitted in enumerate(node.args):
        if not is_strict(omitted, node) and _works_without(node, i, source):
            yield Edit("argument", *span_without(node.args, i, source), "")
    if dotted(node.func) in _SYMMETRIC:
        return
    for one, other in zip(node.args, node.args[1:], strict=False):
        if one.keyword or other.keyword or one.star or other.star:
            continue
        (start, inner), (outer, end) = (
            source.span_with_parentheses(one.value),
            source.span_with_parentheses(other.value),
        )
        text = source.text(other.value) + source.between(inner, outer) + source.text(one.value)
        yield Edit("swap", start, end, text)


def is_strict(argument: cst.CSTNode, call: cst.CSTNode) -> bool:
    """Whether this is the `strict` of a `zip`; like an assertion, it never changes a result."""
    match call, argument:
        case cst.Call(func=cst.Name(value="zip")), cst.Arg(keyword=cst.Name(value="strict")):
            return True
    return False


def _works_without(node: cst.Call, i: int, source: Source) -> bool:
    """Whether the call may work without its argument `i`.

    False only if it is known to fail, by the signature or by name: a call that always fails would
    only test that the line is reached.
    """
    name = dotted(node.func)
    remaining = [argument for k, argument in enumerate(node.args) if k != i]
    if any(argument.star for argument in node.args):
        return True
    signature = source.signatures.get(name) or _signature_of_builtin(name)
    if signature is None:
        return bool(remaining) or name not in _NEED_ARGUMENT
    positional = [None for argument in remaining if argument.keyword is None]
    named = {argument.keyword.value: None for argument in remaining if argument.keyword}
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return False
    return True


def _signature_of_builtin(name: str) -> inspect.Signature | None:
    module, _, attribute = name.rpartition(".")
    found = getattr({"": builtins, "math": math}.get(module), attribute, None)
    try:
        return inspect.signature(found) if found is not None else None
    except (TypeError, ValueError):
        return None


def call(node: cst.CSTNode, source: Source) -> Edits:
    """`min(a)` → `max(a)`, `int(a)` → `a`, `a.sqrt()` → `a`"""
    if not isinstance(node, cst.Call):
        return
    name = dotted(node.func)
    other = _REPLACEMENTS.get(name.rpartition(".")[2])
    if isinstance(node.func, cst.Attribute):
        other = _REPLACEMENTS.get(node.func.attr.value)
        if other is not None:
            # `math` has no `sum`, for example: the built-in one replaces `math.prod` as a whole.
            is_builtin = name.startswith("math.") and not hasattr(math, other)
            yield replaced("call", source, node.func if is_builtin else node.func.attr, other)
        if _is_value(node.func.value, source) and not isinstance(source.parent(node), cst.Expr):
            yield replaced("call", source, node, source.text(node.func.value))
    elif other is not None:
        yield replaced("call", source, node.func, other)
    if name in _WRAPPERS and node.args and not node.args[0].star:
        yield replaced("call", source, node, source.text(node.args[0].value))


def _is_value(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a method is called on a value: not on a module, `self` or `super()`."""
    if isinstance(node, cst.Call):
        return dotted(node.func) != "super"
    name = dotted(node)
    return name not in ("self", "cls") and name.partition(".")[0] not in source.imported
