"""`expect(actual).equals(expected)`: comparisons that report the expected and the actual value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from assignment.calls import plain
from assignment.calls.text import scalar, show, unexpected


class Mismatch(AssertionError):
    """A wrong value: what was expected, what was found, and an optional hint.

    `whole` and `part` are pairs of values (found, expected): all of them, and the first parts that
    differ. Where only a form is expected, it is a tensor without data, or `...`.
    """

    def __init__(
        self,
        what: str,
        expected: str,
        actual: str,
        hint: str | None = None,
        *,
        whole: tuple[Any, Any] | None = None,
        part: tuple[Any, Any] | None = None,
    ) -> None:
        self.what, self.expected, self.actual, self.hint = what, expected, actual, hint
        self.whole, self.part = whole, part or whole
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
        """Same value and same type: 1 is not True, 4 is not 4.0; lists and tuples are the same.

        Tensors and arrays: same shape, same dtype, all elements equal. nan equals nothing.
        """
        __tracebackhide__ = True  # a debugger stops in the test
        if not plain.is_equal(self.actual, expected):
            raise Mismatch(
                self.what, show(expected), show(self.actual), hint, whole=(self.actual, expected)
            )

    def close(
        self,
        expected: Any,
        *,
        rtol: float,
        atol: float = 0.0,
        equal_nan: bool = False,
        hint: str | None = None,
    ) -> None:
        """|found - expected| <= atol + rtol * |expected| for all elements, compared in float64.

        Takes numbers, tensors, arrays, and lists, tuples or dicts of them. Shapes and dtypes must
        be equal. nan equals nothing, or with `equal_nan` the nan of a tensor or an array.
        """
        __tracebackhide__ = True
        if first := _diff(self.actual, expected, rtol, atol, equal_nan):
            what = f"{self.what}, at {first.at}" if first.at else self.what
            whole = (self.actual, expected)
            raise Mismatch(what, first.expected, first.found, hint, whole=whole, part=first.part)

    def proportional(
        self, expected: Sequence[torch.Tensor], *, rtol: float = 1e-10, atol: float = 1e-10
    ) -> float:
        """Tensors that are the expected ones times one positive finite factor; returns it.

        It is 1.0 if all expected elements are 0.
        """
        __tracebackhide__ = True
        tensors = list(self.actual) if isinstance(self.actual, tuple) else self.is_a(list)
        expect(len(tensors), f"the number of {self.what}").equals(len(expected))
        for one, like in zip(tensors, expected, strict=True):
            expect(one, self.what).is_tensor(tuple(like.shape), like.dtype)
        found, wanted = (
            torch.cat([t.flatten().double() for t in of]) for of in (tensors, expected)
        )
        square = float(wanted @ wanted)
        factor = float(found @ wanted) / square if square else 1.0
        if not (math.isfinite(factor) and factor > 0):
            self.close(expected, rtol=rtol, atol=atol)
        self.close([factor * like for like in expected], rtol=rtol, atol=atol * abs(factor))
        return factor

    def is_tensor(
        self, shape: tuple[int, ...], dtype: torch.dtype, hint: str | None = None
    ) -> torch.Tensor:
        """A tensor of this shape and dtype; returns it."""
        __tracebackhide__ = True
        wanted = f"a tensor {tuple(shape)} of {dtype}"
        actual = self.actual
        if (
            not isinstance(actual, torch.Tensor)
            or tuple(actual.shape) != tuple(shape)
            or actual.dtype is not dtype
        ):
            like = torch.empty(shape, dtype=dtype, device="meta")
            raise Mismatch(self.what, wanted, unexpected(actual), hint, whole=(actual, like))
        return actual

    def is_a(self, kind: type, hint: str | None = None) -> Any:
        """A value of exactly this type; returns it."""
        __tracebackhide__ = True
        if type(self.actual) is not kind:
            wanted = f"an object of type {kind.__name__}"
            found = unexpected(self.actual)
            raise Mismatch(self.what, wanted, found, hint, whole=(self.actual, ...))
        return self.actual


class _Difference(NamedTuple):
    """Where a value is not close: the position, "" for all of it, and what is there.

    `expected` and `found` are texts, `part` the values (found, expected).
    """

    at: str
    expected: str
    found: str
    part: tuple[Any, Any]


def _diff(
    actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool, at: str = ""
) -> _Difference | None:
    """The first position where `actual` is not close, below the position `at`; None if it is."""
    part = (actual, expected)
    if isinstance(expected, list | tuple | dict):
        is_dict = isinstance(expected, dict)
        if not isinstance(actual, dict if is_dict else list | tuple):
            return _Difference(at, show(expected), unexpected(actual), part)
        if is_dict and set(expected) != set(actual):
            keys, found_keys = show(list(expected)), show(list(actual))
            return _Difference(at, f"the entries {keys}", f"the entries {found_keys}", part)
        if len(actual) != len(expected):
            return _Difference(at, _items(expected), _items(actual), part)
        for key, item in expected.items() if isinstance(expected, dict) else enumerate(expected):
            if inner := _diff(actual[key], item, rtol, atol, equal_nan, f"{at}[{key!r}]"):
                return inner
        return None
    if isinstance(expected, torch.Tensor | np.ndarray):
        if plain.describe(actual) != plain.describe(expected):
            return _Difference(at, plain.describe(expected), unexpected(actual), part)
        found, wanted = _float64(actual), _float64(expected)
        with np.errstate(invalid="ignore"):  # infinity less infinity
            near = np.abs(found - wanted) <= atol + rtol * np.abs(wanted)
        same = found == wanted
        if equal_nan:
            same |= np.isnan(found) & np.isnan(wanted)
        bad = ~(near & np.isfinite(wanted)) & ~same
        if not bad.any():
            return None
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        if found.size > 1:
            at += str(list(first))
        return _Difference(at, _number(wanted[first], rtol, atol), _number(found[first]), part)
    if isinstance(actual, bool) or not isinstance(actual, int | float):
        return _Difference(at, _number(expected, rtol, atol), unexpected(actual), part)
    if actual == expected or _is_near(actual, expected, rtol, atol):
        return None
    return _Difference(at, _number(expected, rtol, atol), _number(actual), part)


def _is_near(actual: float, expected: float, rtol: float, atol: float) -> bool:
    try:
        near = math.fabs(actual - expected) <= atol + rtol * math.fabs(expected)
        return near and math.isfinite(expected)
    except OverflowError:  # a whole number beyond every float
        return False


def _float64(value: torch.Tensor | np.ndarray) -> np.ndarray:
    if isinstance(value, torch.Tensor):
        wide = torch.complex128 if value.is_complex() else torch.float64
        return value.detach().to(wide).numpy()
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _number(value: Any, rtol: float = 0.0, atol: float = 0.0) -> str:
    bounds = {f"a relative {rtol:g}": rtol, f"an absolute {atol:g}": atol}
    within = " and ".join(text for text, bound in bounds.items() if bound)
    return f"{scalar(value)} within {within}" if within else scalar(value)


def _items(value: Any) -> str:
    return f"{show(value)}, {len(value)} item{'' if len(value) == 1 else 's'}"
