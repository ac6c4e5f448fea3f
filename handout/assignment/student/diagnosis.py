"""A note on a wrong value or an exception, from what can be seen of it.

It is a fact about the values, such as "twice the expected value", or at most a question.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from assignment import PACKAGES, manifest
from assignment.calls.plain import is_equal
from assignment.calls.text import show
from assignment.expect import Mismatch

_LONG = 60  # characters of a value in which a difference is hard to see
DIFFERENCE = ("first difference", "there is no entry")  # how a note on long values begins

RETURNED_NONE = "None also comes back where a function ends without `return`"
UNCHANGED = (
    "unchanged: it is what it was before the call. Was it rebound (m = m + …) instead of updated "
    "in place (m += …, m.add_(…)), or not updated at all?"
)
_NAN = "nan is also what 0/0, inf - inf and the root of a negative number give"
_INT = "an int is expected: compute with ints alone (// divides them)"
_FLOAT = "a float is expected: divide with /, or wrap it in float()"
_SAME_VALUES = "the values are right, the dtype is not"
_RATIOS = (
    (2, "twice the expected value"),
    (3, "3 times the expected value"),
    (4, "4 times the expected value"),
    (8, "8 times the expected value"),
    (100, "100 times the expected value; a percentage?"),
    (1000, "1000 times the expected value; which unit?"),
    (1024, "1024 times the expected value; which unit?"),
    (1e6, "10⁶ times the expected value; which unit?"),
    (1e9, "10⁹ times the expected value; which unit?"),
    (1e12, "10¹² times the expected value; which unit?"),
    (1.024, "1.024 times the expected value: KiB are 2¹⁰ bytes, kB 10³"),
    (2**20 / 1e6, "1.049 times the expected value: MiB are 2²⁰ bytes, MB 10⁶"),
    (2**30 / 1e9, "1.074 times the expected value: GiB are 2³⁰ bytes, GB 10⁹"),
    (86400, "86400 times the expected value: a day has 86400 seconds"),
    (1 / 2, "half the expected value"),
    (1 / 3, "a third of the expected value"),
    (2 / 3, "two thirds of the expected value"),
    (3 / 2, "3/2 of the expected value"),
    (1 / 4, "a quarter of the expected value"),
    (1 / 8, "an eighth of the expected value"),
    (1 / 100, "a hundredth of the expected value; a percentage?"),
    (1 / 1000, "a thousandth of the expected value; which unit?"),
    (1 / 1024, "1/1024 of the expected value; which unit?"),
    (-1, "the expected value with the other sign"),
)
_EXCEPTIONS: tuple[tuple[type[BaseException], str], ...] = (
    (
        ModuleNotFoundError,
        f"the grader has {', '.join(PACKAGES[:-1])} and {PACKAGES[-1]}, and your own modules",
    ),
    (ImportError, "is the name spelled as in the module that it is imported from?"),
    (UnboundLocalError, "not every path of the function assigns it before it is used"),
    (NameError, "is it spelled as where it was defined, or is an import missing?"),
    (IndexError, "the last index is the length minus 1"),
    (KeyError, "the dict has no such key: was it put there, under this very name?"),
    (AttributeError, "is the name spelled right, and is the object of the type that you think?"),
    (TypeError, "a value here is not of the type that you think: print type(…) of each"),
    (NotImplementedError, "a function that this one calls is not written yet"),
    (RecursionError, "does every call come closer to a case that makes no further call?"),
    (ZeroDivisionError, "which argument is 0 here, and what does the docstring say of it?"),
    (
        OverflowError,
        "the largest float is about 1.8e308: is a number here larger than it should be?",
    ),
    (EOFError, "a function gets all that it needs as arguments; do not read input"),
    (SystemExit, "a function returns or raises; do not end the program"),
)
_MESSAGES = (  # patterns of what torch and Python say
    (
        r"integer division result too large",
        "a whole number is too large for a float: divide with //",
    ),
    (
        r"leaf Variable that requires grad",
        "an update is not part of the graph: use torch.no_grad()",
    ),
    (r"does not require grad", "backward needs a graph: was the loss made without gradients?"),
    (r"second time", "a graph is gone after its backward pass: compute the loss again"),
    (r"Dimension out of range", "the tensor has fewer dimensions here: see its shape in the call"),
    (
        r"must match|cannot be multiplied|broadcast|size mismatch|is invalid for input|not aligned",
        "the shapes do not fit here: print them before this line",
    ),
    (
        r"weights_only",
        "the file holds more than tensors, numbers, text, lists and dicts: save only these, and "
        "keep weights_only=True",
    ),
    (r"not implemented for", "torch has no such operation for this dtype: convert first"),
    (r"same dtype|expected scalar type", "two dtypes meet here: convert one of them"),
)


def of_mismatch(mismatch: Mismatch) -> tuple[str, bool]:
    """A note on a wrong value, or ""; and whether it takes the place of the test's hint."""
    return _or_false(lambda: _of_mismatch(mismatch)) or ("", False)  # the value may be anything


def _of_mismatch(mismatch: Mismatch) -> tuple[str, bool]:
    """As `of_mismatch`, but it raises where values cannot be compared."""
    if mismatch.whole is None or mismatch.part is None:
        return "", False
    for found, _ in (mismatch.whole, mismatch.part):
        if found is None:
            return RETURNED_NONE, True
    found = mismatch.part[0]
    before = getattr(found, "before", None)  # a tensor's values then, where they were noted
    if isinstance(before, torch.Tensor) and torch.equal(found, before):
        return UNCHANGED, True
    for found, expected in (mismatch.whole, mismatch.part):
        if expected is ...:
            continue
        if container := _of_container(found, expected):
            return container, True
        if note := _of_values(found, expected):
            return note, note in (_INT, _FLOAT, _SAME_VALUES)
    if mismatch.part is not mismatch.whole:
        return "", False
    is_hard_to_see = len(mismatch.expected) > _LONG or mismatch.expected == mismatch.actual
    difference = _first_difference(*mismatch.whole)
    return (difference if is_hard_to_see or difference.endswith((_INT, _FLOAT)) else ""), False


def of_exception(error: BaseException) -> str:
    """A note on an exception that a student's code raised; "" for none."""
    message = message_of(error)
    if isinstance(error, OSError) and "reading from stdin" in message:
        error = EOFError()
    exercises = manifest.load()
    own = {f"{exercises.package}.{module}" for module in exercises.modules}
    if isinstance(error, ModuleNotFoundError) and error.name in own:
        return "this file is missing: `reset` restores its stubs, and a backup may have your code"
    if "'NoneType'" in message:
        return f"something is None here; {RETURNED_NONE}"
    for pattern, text in _MESSAGES:
        if re.search(pattern, message):
            return text
    return next((text for kind, text in _EXCEPTIONS if isinstance(error, kind)), "")


def message_of(error: BaseException) -> str:
    """The text of an exception; "" if its `__str__` raises."""
    return _or_false(lambda: str(error)) or ""


def _of_container(found: Any, expected: Any) -> str:
    """A note if a dict, list or tuple is expected and something else was found."""
    if isinstance(expected, dict) and not isinstance(found, dict):
        names = ", ".join(map(repr, list(expected)[:6]))
        return f"a dict is expected, with {names}{' …' if len(expected) > 6 else ''}"
    if isinstance(expected, list | tuple) and not isinstance(found, list | tuple):
        count = "1 result is" if len(expected) == 1 else f"{len(expected)} results are"
        return f"{count} expected, in a tuple or a list"
    return ""


def _of_values(found: Any, expected: Any) -> str:
    """The first note on two values of whatever type."""
    if isinstance(found, torch.Tensor) and isinstance(expected, torch.Tensor):
        return next(_of_tensors(found, expected), "")
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        return next(_of_sequences(found, expected), "")
    if isinstance(expected, bool) or isinstance(found, bool):
        if type(found) is type(expected):
            return ""
        return "a bool is expected" if isinstance(expected, bool) else "a bool is not a number here"
    if isinstance(found, int | float) and isinstance(expected, int | float):
        return next(_of_numbers(found, expected), "")
    if isinstance(expected, int | float) and isinstance(found, torch.Tensor | np.ndarray):
        return "a number of Python is expected; .item() takes it out of a tensor"
    return ""


def _of_numbers(found: float, expected: float) -> Iterator[str]:
    if found == expected and type(found) is not type(expected):
        yield _INT if isinstance(expected, int) else _FLOAT
    if found != found:
        yield _NAN
    is_whole = type(found) is int and type(expected) is int
    if is_whole and abs(found - expected) == 1:
        yield f"1 {'more' if found > expected else 'less'} than expected"
    if is_whole and found != expected and (found - expected) % 2**64 == 0:
        yield "a multiple of 2⁶⁴ away: numpy's and torch's integers wrap around, Python's do not"
    if not _is_squarable(found) or not _is_squarable(expected):
        return
    yield from _of_ratios([found / expected] if expected else [])
    if expected > 0 and math.isclose(found, expected * expected, rel_tol=1e-9):
        yield "the square of the expected value; a root is missing?"
    if expected > 0 and math.isclose(found, math.sqrt(expected), rel_tol=1e-9):
        yield "the root of the expected value"


def _of_ratios(ratios: Sequence[float]) -> Iterator[str]:
    """Notes from the ratios found / expected of all elements."""
    for ratio, text in _RATIOS:
        if ratios and all(math.isclose(r, ratio, rel_tol=1e-6) for r in ratios):
            yield text if len(ratios) == 1 else f"every element is {text}"


def _of_tensors(found: torch.Tensor, expected: torch.Tensor) -> Iterator[str]:
    has_no_values = expected.device.type == "meta"  # only shape and dtype are expected
    if found.shape != expected.shape:
        if found.dim() == 2 and found.shape == expected.shape[::-1]:
            yield "the shape is that of the transpose"
        elif found.numel() == expected.numel():
            yield "as many elements in another shape"
        return
    if found.dtype is not expected.dtype:
        if has_no_values:
            yield "the shape is right, the dtype is not"
        elif torch.equal(found.to(torch.complex128), expected.to(torch.complex128)):
            yield _SAME_VALUES
        else:
            yield "the dtype is another one"
        return
    is_square = found.dim() >= 2 and found.shape[0] == found.shape[1]
    if is_square and torch.equal(found, expected.transpose(0, 1)):
        yield "it is the transpose of what is expected"
    if bool(found.isnan().any()) and not bool(expected.isnan().any()):
        yield _NAN
    if not bool(found.any()) and bool(expected.any()):
        yield "every element is 0"
        return
    if found.is_floating_point() and bool(expected.all()):
        yield from _of_ratios((found.double() / expected.double()).flatten()[:100].tolist())


def _of_sequences(found: Sequence[Any], expected: Sequence[Any]) -> Iterator[str]:
    if len(found) != len(expected):
        few, many = sorted((found, expected), key=len)
        same = itertools.takewhile(lambda pair: _is_same(*pair), zip(few, many, strict=False))
        at = sum(1 for _ in same)  # where `many` has one more, if that is all
        if _is_same(many[at + 1 :], few[at:]):
            yield "one item too many" if many is found else "one item is missing"
        return
    if len(found) > 1 and _is_same(list(reversed(found)), expected):
        yield "in reverse order"
    if len(found) > 2 and any(not _is_same(a, b) for a, b in itertools.pairwise(expected)):
        if _is_same(found[:-1], expected[1:]):
            yield "each item is the one expected after it: they are shifted by one"
        elif _is_same(found[1:], expected[:-1]):
            yield "each item is the one expected before it: they are shifted by one"
    if len(found) > 1 and _or_false(
        lambda: list(found) != list(expected) and sorted(found) == sorted(expected)
    ):
        yield "the right items in another order"
    pairs = list(zip(found, expected, strict=True))
    for i, (a, b) in enumerate(pairs):
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype is not b.dtype:
            yield from (f"in item {i}, {note}" for note in _of_tensors(a, b))
    if len(pairs) > 1 and all(_is_squarable(a) and _is_squarable(b) and b for a, b in pairs):
        yield from _of_ratios([a / b for a, b in pairs])


def _first_difference(found: Any, expected: Any, at: str = "") -> str:
    """Where long values differ first, `at` being the path so far, such as `['a'][3]`."""
    if type(found) is type(expected) and type(found) in (torch.Tensor, np.ndarray):
        if found.shape != expected.shape or found.dtype != expected.dtype:
            return ""
        bad = np.argwhere(np.asarray(found != expected))
        if not len(bad) or not found.ndim:
            return ""
        first = tuple(bad[0].tolist())
        return _first_difference(found[first].item(), expected[first].item(), f"{at}{list(first)}")
    if isinstance(found, list | tuple) and isinstance(expected, list | tuple):
        pairs = [(i, a, b) for i, (a, b) in enumerate(zip(found, expected, strict=False))]
    elif isinstance(found, dict) and isinstance(expected, dict):
        pairs = [(k, found[k], expected[k]) for k in expected if k in found]
        if missing := [k for k in expected if k not in found]:
            return f"there is no entry {at}[{missing[0]!r}]"
    else:
        is_number = isinstance(found, int | float) and isinstance(expected, int | float)
        kind = f"; {_of_values(found, expected)}" if is_number and found == expected else ""
        text = f"first difference at {at}: {show(found)} instead of {show(expected)}{kind}"
        return text if at else ""
    for key, a, b in pairs:
        if not _is_same(a, b):
            return _first_difference(a, b, f"{at}[{key!r}]")
    return ""


def _is_same(a: Any, b: Any) -> bool:
    return bool(_or_false(lambda: is_equal(a, b)))


def _or_false(question: Callable[[], Any]) -> Any:
    """The answer to a question about values; False if it raises."""
    try:
        return question()
    except Exception:
        return False


def _is_squarable(value: Any) -> bool:
    """Whether it is a number, and a float can hold its square."""
    return isinstance(value, int | float) and type(value) is not bool and abs(value) < 1e154
