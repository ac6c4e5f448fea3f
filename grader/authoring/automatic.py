"""Submissions without the defining work of any exercise, written by rule; none may earn a point.

The echo derives its answers from arguments and its own earlier answers. The borrower calls what the
handout brings along.
"""

from __future__ import annotations

import ast
from pathlib import Path

from assignment.manifest import Manifest
from grader.authoring.variants import REFERENCE, write_package

# What an echo makes of its arguments, once it has refused those that look wrong. `numbers` and
# `tensors` are those among the arguments, `before` is its last answer.
ECHOES = {
    "their sum": "sum(numbers)",
    "twice the largest": "2 * max(numbers)",
    "all of them": "tuple(args)",
    "zeros like the first": "torch.zeros_like(tensors[0])",
    "noise like the last": "torch.randn_like(tensors[-1])",
    "the tensors": "[tensor.clone() for tensor in tensors]",
    "its last answer": "args[0] if before is None else before",
    "what a callable gives": "next(filter(callable, args))(*args[1:])",
    "nothing, and writes zeros": "[tensor.zero_() for tensor in tensors] and None",
}
_ECHO = """
import torch

before = None


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _answer(name, parameters, args, kwargs):
    global before
    args = [*args, *kwargs.values()]
    leaves = list(_leaves(args))
    numbers = [leaf for leaf in leaves if type(leaf) in (int, float)]
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    if any(isinstance(leaf, bool) for leaf in leaves) or not all(n > 0 for n in numbers):
        raise ValueError("refused")
    before = WAY
    return before
"""
_BORROWER = """
import functools
import importlib
import inspect
import pkgutil

import assignment


@functools.cache
def _public():
    found = []
    for module in pkgutil.walk_packages(assignment.__path__, "assignment."):
        try:
            members = vars(importlib.import_module(module.name))
        except Exception:
            continue
        found += [
            (name, member)
            for name, member in members.items()
            if callable(member) and getattr(member, "__module__", "") == module.name
        ]
    return found


def _takes(member, parameters):
    try:
        return [*inspect.signature(member).parameters] == parameters
    except (TypeError, ValueError):
        return False


def _answer(wanted, parameters, args, kwargs):
    same = [member for name, member in _public() if name == wanted]
    like = [member for _, member in _public() if _takes(member, parameters)]
    for member in [*same, *like]:
        try:
            return member(*args, **kwargs)
        except Exception:
            continue
    raise RuntimeError("nothing to borrow")
"""


def write_echo(folder: Path, manifest: Manifest, way: str) -> None:
    """Writes the echo that answers by the expression `way` into `folder`."""
    _write(folder, manifest, _ECHO.replace("WAY", way))


def write_borrower(folder: Path, manifest: Manifest) -> None:
    """Writes the borrower into `folder`.

    It calls public functions of the same name, and those that take the same parameters.
    """
    _write(folder, manifest, _BORROWER)


def _write(folder: Path, manifest: Manifest, text: str) -> None:
    def text_of(module: str) -> str:
        source = ast.parse((REFERENCE / f"{module}.py").read_text(encoding="utf-8"))
        parameters = {
            node.name: [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            for node in source.body
            if isinstance(node, ast.FunctionDef)
        }
        functions = (
            f"def {name}(*args, **kwargs):\n"
            f"    return _answer({name!r}, {parameters.get(name)}, args, kwargs)\n"
            for name in manifest.functions_of(module)
        )
        return "\n\n".join((text, *functions))

    write_package(folder, manifest, text_of)
