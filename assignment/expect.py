"""`expect(actual).equals(expected)`: comparisons that report the expected and the actual value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from assignment import plain

_SHOWN = 400  # characters of a value in a message


class Mismatch(AssertionError):
    """A wrong value: what was expected, what was found, and an optional hint."""

    def __init__(self, what: str, expected: str, actual: str, hint: str | None = None) -> None:
        self.expected, self.actual, self.hint = expected, actual, hint
        super().__init__(
            f"wrong: {what}\n  expected: {expected}\n  found:    {actual}"
            + (f"\n  hint:     {hint}" if hint else "")
        )


class expect:  # noqa: N801 - reads as a verb: expect(x).equals(y)
    """Wraps a value returned by an implementation; `what` names it in messages."""

    def __init__(self, actual: Any, what: str = "the result") -> None:
        self.actual = actual
        self.what = what

    def equals(self, expected: Any, hint: str | None = None) -> None:
        """Same value and same type: 1 is not True, 4 is not 4.0; a list may replace a tuple.

        Tensors and arrays: same shape, same dtype, all elements equal. nan equals nothing.
        """
        if not _equal(self.actual, expected):
            raise Mismatch(self.what, show(expected), show(self.actual), hint)

    def close(
        self, expected: Any, *, rtol: float, atol: float = 0.0, hint: str | None = None
    ) -> None:
        """|found - expected| <= atol + rtol * |expected| for all elements, compared in float64.

        Takes numbers, tensors, arrays, and lists, tuples or dicts of them. Shapes and dtypes must
        be equal.
        """
        problem = _far(self.actual, expected, rtol, atol, self.what)
        if problem:
            raise Mismatch(*problem, hint)

    def is_tensor(
        self, shape: tuple[int, ...], dtype: torch.dtype, hint: str | None = None
    ) -> torch.Tensor:
        """A tensor of this shape and dtype; returns it."""
        wanted = f"a tensor {tuple(shape)} of {dtype}"
        actual = self.actual
        if (
            not isinstance(actual, torch.Tensor)
            or tuple(actual.shape) != tuple(shape)
            or actual.dtype is not dtype
        ):
            raise Mismatch(self.what, wanted, plain.describe(actual), hint)
        return actual

    def is_a(self, kind: type, hint: str | None = None) -> Any:
        """A value of exactly this type; returns it."""
        if type(self.actual) is not kind:
            raise Mismatch(
                self.what, f"an object of type {kind.__name__}", plain.describe(self.actual), hint
            )
        return self.actual


def show(value: Any) -> str:
    """A value as text for a message: its type, and its contents if they are short."""
    if isinstance(value, torch.Tensor | np.ndarray):
        text = plain.describe(value)
        size = value.numel() if isinstance(value, torch.Tensor) else value.size
        return f"{text}: {value.tolist()}" if size <= 12 else text
    text = ""
    for piece in _pieces(value):  # stop at the limit: printing tensors is slow
        text += piece
        if len(text) > _SHOWN:
            return text[:_SHOWN] + " …"
    return text


def _pieces(value: Any) -> Iterator[str]:
    """The text of `repr`, in pieces."""
    kind = type(value)
    if kind is list:
        start, end = "[", "]"
    elif kind is tuple:
        start, end = "(", ",)" if len(value) == 1 else ")"
    elif kind is dict:
        start, end = "{", "}"
    else:
        yield repr(value[: _SHOWN + 1] if kind in (str, bytes) else value)
        return
    yield start
    for i, item in enumerate(value):
        yield ", " if i else ""
        if kind is dict:
            yield f"{item!r}: "
        yield from _pieces(value[item] if kind is dict else item)
    yield end


def _equal(actual: Any, expected: Any) -> bool:
    if isinstance(expected, list | tuple):
        return (
            isinstance(actual, list | tuple)
            and len(actual) == len(expected)
            and all(map(_equal, actual, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and actual.keys() == expected.keys()
            and all(_equal(actual[key], expected[key]) for key in expected)
        )
    if type(actual) is not type(expected):
        return False
    if isinstance(expected, torch.Tensor):
        return actual.dtype is expected.dtype and torch.equal(actual, expected)
    if isinstance(expected, np.ndarray):
        return bool(actual.dtype == expected.dtype) and np.array_equal(actual, expected)
    return bool(actual == expected)


def _far(
    actual: Any, expected: Any, rtol: float, atol: float, what: str
) -> tuple[str, str, str] | None:
    """The first position where `actual` is not close: (what, expected, found), or None."""
    if isinstance(expected, list | tuple | dict):
        pairs = expected.items() if isinstance(expected, dict) else enumerate(expected)
        same_kind = isinstance(actual, dict) == isinstance(expected, dict)
        if not same_kind or not isinstance(actual, list | tuple | dict):
            return what, show(expected), plain.describe(actual)
        keys = list(expected) if isinstance(expected, dict) else list(range(len(expected)))
        found_keys = list(actual) if isinstance(actual, dict) else list(range(len(actual)))
        if set(keys) != set(found_keys):
            return what, f"the entries {keys}", f"the entries {found_keys}"
        for key, item in pairs:
            if problem := _far(actual[key], item, rtol, atol, f"{what}[{key!r}]"):
                return problem
        return None
    if isinstance(expected, torch.Tensor | np.ndarray):
        if plain.describe(actual) != plain.describe(expected):
            return what, plain.describe(expected), plain.describe(actual)
        found, wanted = _float64(actual), _float64(expected)
        with np.errstate(invalid="ignore"):  # infinity less infinity
            bad = ~(np.abs(found - wanted) <= atol + rtol * np.abs(wanted)) & ~(found == wanted)
        if not bad.any():
            return None
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        return f"{what}{list(at)}", _number(wanted[at], rtol, atol), _number(found[at])
    if isinstance(actual, bool) or not isinstance(actual, int | float):
        return what, _number(expected, rtol, atol), plain.describe(actual)
    if actual == expected or math.fabs(actual - expected) <= atol + rtol * math.fabs(expected):
        return None
    return what, _number(expected, rtol, atol), _number(actual)


def _float64(value: torch.Tensor | np.ndarray) -> np.ndarray:
    if isinstance(value, torch.Tensor):
        wide = torch.complex128 if value.is_complex() else torch.float64
        return value.detach().to(wide).numpy()
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _number(value: Any, rtol: float = 0.0, atol: float = 0.0) -> str:
    within = " and ".join(
        text for text, bound in ((f"a relative {rtol:g}", rtol), (f"{atol:g}", atol)) if bound
    )
    return f"{value!r}" if not within else f"{value!r} within {within}"
