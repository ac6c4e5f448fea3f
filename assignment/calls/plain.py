"""Plain data: the only values that are passed between a test and an implementation.

None, bool, int, float, str, bytes, list, tuple, dict with str, int or bool keys, torch tensors and
dtypes, numpy arrays and dtypes. Exactly these types: a subclass could contain code. Arguments may
also hold paths, and what becomes a stand-in (`calls/callbacks.py`); their tensors and arrays
keep their layouts (`calls/layouts.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum
from itertools import repeat
from pathlib import Path
from types import FunctionType, GeneratorType, MethodType
from typing import Any, NoReturn

import numpy as np
import torch

from assignment.calls.layouts import Rebuilt, Storages

PLAIN = "None, bool, int, float, str, bytes, list, tuple, dict, torch.Tensor, numpy.ndarray, dtypes"
MAX_DEPTH = 32  # of a result; arguments, which may hold results, may be twice as deep

# Functions and generators, exactly: in arguments they become stand-ins (`calls/callbacks.py`).
CALLBACKS = (FunctionType, MethodType, GeneratorType)

PATH = type(Path())

_SCALARS = frozenset({type(None), bool, int, float, str, bytes, torch.dtype})
Copying = Callable[[Any], Any]  # makes what takes the place of a value


class NotPlainData(TypeError):
    """The message says where the value is, what it is, and what is expected."""


def copy(value: Any, where: str = "value") -> Any:
    """A deep copy of plain data: no storage, list or dict is shared with `value`.

    A `torch.Size` becomes a tuple, a `torch.nn.Parameter` a tensor, and a tensor loses its graph
    and its layout. Raises NotPlainData for anything else; it calls the value `where`.
    """
    return _copy(value, where, 0, _dense, None)


def copy_arguments(value: Any, where: str, stand_in: Copying | None = None) -> Any:
    """A deep copy of arguments: tensors keep their layouts, and share what they share.

    `stand_in` makes what takes the place of a function or of a generator; None refuses them. Raises
    NotPlainData as `copy` does. A first pass collects the storages, and a second one builds on
    copies of them.
    """
    storages, rebuilt = Storages(), Rebuilt()
    places: list[tuple[int, Any]] = []  # of the tensors and arrays, in the order of a pass

    def collect(value: Any) -> None:
        is_array = isinstance(value, np.ndarray)
        places.append(storages.add_array(value) if is_array else storages.add_tensor(value))

    def rebuild(value: Any) -> Any:
        number, layout = next(remaining)
        if isinstance(value, np.ndarray):
            return rebuilt.array(number, layout, value.dtype)
        return rebuilt.tensor(number, layout, value.dtype)

    _copy(value, where, 0, collect, stand_in and (lambda _: None))
    for number, segment in storages.segments():
        rebuilt.add(number, segment.begin, np.concatenate(segment.parts).data)
    remaining = iter(places)
    return _copy(value, where, 0, rebuild, stand_in)


def _dense(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    return value.detach().clone(memory_format=torch.contiguous_format)


def _copy(value: Any, where: str, depth: int, leaf: Copying, stand_in: Copying | None) -> Any:
    """Copies containers; `leaf` copies a tensor or an array."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    deepest = MAX_DEPTH if leaf is _dense else 2 * MAX_DEPTH
    if depth > deepest:
        raise NotPlainData(f"{where} is nested more than {deepest} deep")
    if kind is list or kind is tuple or kind is torch.Size:
        items = [_copy(v, f"{where}[{i}]", depth + 1, leaf, stand_in) for i, v in enumerate(value)]
        return items if kind is list else tuple(items)
    if kind is dict:
        for key in value:
            if type(key) not in (str, int, bool):
                refuse_key(key, where)
        return {k: _copy(v, f"{where}[{k!r}]", depth + 1, leaf, stand_in) for k, v in value.items()}
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        check_tensor(value, where)
        return leaf(value)
    if kind is np.ndarray:
        check_array(value, where)
        return leaf(value)
    if isinstance(value, np.dtype) and value.hasobject is False and value.names is None:
        return value
    if kind is PATH and leaf is not _dense:
        return value
    if stand_in is not None and kind in CALLBACKS:
        return stand_in(value)
    return refuse(value, where)


def is_equal(actual: Any, expected: Any, strict: bool = False) -> bool:
    """Same value and same type; nan equals nothing. Unless strict, a list may equal a tuple."""
    if strict and type(actual) is not type(expected):
        return False
    if isinstance(expected, list | tuple):
        return (
            isinstance(actual, list | tuple)
            and len(actual) == len(expected)
            and all(map(is_equal, actual, expected, repeat(strict)))
        )
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(is_equal(actual[key], expected[key], strict) for key in expected)
        )
    if type(actual) is not type(expected):
        return False
    if isinstance(expected, torch.Tensor):
        return actual.dtype is expected.dtype and torch.equal(actual, expected)
    if isinstance(expected, np.ndarray):
        return bool(actual.dtype == expected.dtype) and np.array_equal(actual, expected)
    return bool(actual == expected)


def check_tensor(tensor: torch.Tensor, where: str) -> None:
    """Raises NotPlainData for a tensor that is not dense or not in host memory."""
    if (
        tensor.layout is not torch.strided
        or tensor.device.type != "cpu"
        or tensor.is_quantized
        or tensor.is_nested
    ):
        raise NotPlainData(
            f"{where} is a {tensor.layout} tensor on {tensor.device}; "
            "expected a dense one on the CPU"
        )


def check_array(array: np.ndarray, where: str) -> None:
    """Raises NotPlainData for an array of anything but bool, int, float and complex numbers."""
    if array.dtype.kind not in "biufc" or array.dtype.char in "gG":  # long doubles
        raise NotPlainData(f"{where} is an array of {array.dtype}; expected bool or numbers")


def refuse(value: Any, where: str) -> NoReturn:
    """Raises NotPlainData with the value's type, the expected types, and how to convert it."""
    raise NotPlainData(
        f"{where} is {describe(value)}; expected plain data ({PLAIN}){_advice(value)}"
    )


def refuse_key(key: Any, where: str) -> NoReturn:
    """Raises NotPlainData for a key of the dict that `where` names."""
    advice = _advice(key)
    if not advice.endswith((" str()", " int()", " bool()")):  # types that a key may have
        advice = "; use keys of these types"
    raise NotPlainData(f"a key of {where} is {describe(key)}; expected str, int or bool{advice}")


# Iterators and views that functions return instead of a list.
_LAZY = (GeneratorType, map, filter, zip, enumerate, reversed, *map(type, ({}.keys(), {}.values())))
# How to turn a value of these classes, or of a subclass, into plain data; the first match counts.
# numpy's scalars come first: np.float64 is also a float.
_WRAP: tuple[tuple[tuple[type, ...], str], ...] = (
    ((Enum,), "take its .value"),
    ((np.bool_,), "wrap it in bool()"),
    ((np.integer,), "use Python's ints, which cannot overflow"),
    ((np.floating,), "wrap it in float(), or in int() where an int is asked"),
    ((int,), "wrap it in int()"),
    ((float,), "wrap it in float()"),
    ((str,), "wrap it in str()"),
    ((bytes, bytearray, memoryview), "wrap it in bytes()"),
    ((dict,), "wrap it in dict()"),
    ((tuple,), "wrap it in tuple()"),
    ((list, set, frozenset, deque, range, *_LAZY), "wrap it in list()"),
    ((np.ndarray,), "wrap it in np.array()"),
    ((torch.Tensor,), "call its .as_subclass(torch.Tensor)"),
)


def _advice(value: Any) -> str:
    """How to turn a value into plain data, after a "; "; "" if unknown.

    Compares types by identity: the value comes from a submission, and `isinstance` or `==` could
    run the submission's code.
    """
    ancestors = type.__dict__["__mro__"].__get__(type(value))
    for kinds, advice in _WRAP:
        if any(kind is ancestor for kind in kinds for ancestor in ancestors):
            return f"; {advice}"
    return ""


def describe(value: Any) -> str:
    """A value's type in words, without its contents: `a tensor (2, 3) of torch.float32`."""
    kind = type(value)
    if kind is torch.Tensor:
        return f"a tensor {tuple(value.shape)} of {value.dtype}"
    if kind is np.ndarray:
        return f"an array {value.shape} of {value.dtype}"
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"an object of type {module}{kind.__qualname__}"
