"""A wrong layout as a picture. Of a transpose whose strides were not swapped:

storage:   0  1  2  3  4  5  6  7
right:     0  2  4  1  3  5  .  .
yours:     0  1  .  2  3  .  4  5
"""

from __future__ import annotations

import ast
import re
from itertools import product
from typing import Any

from assignment.calls import plain

_BOXES = 20  # of storage, the most that are drawn; they fit into a line
_RANK = 6  # of a layout that is drawn
_LEGEND = "the elements of the result, by number, where they are in storage"


def drawn(call: str, found: Any, expected: Any) -> list[tuple[str, str]]:
    """Lines with their labels; [] if there is nothing to draw, or it is too large.

    `call` is one of a function of `strides`, as one could type it, `found` what it returned.
    """
    try:
        made: Any = ast.parse(re.sub("<[^<>]*>", "None", call), mode="eval").body
    except SyntaxError:  # a long call is cut
        return []
    function, given = made.func.attr, [_literal(argument) for argument in made.args]
    if function == "gather":
        same = plain.describe(found) == plain.describe(expected)  # so a value is wrong
        right, yours = _boxes((*given[1:], 0)[:3]) if same else {}, {}
    else:
        right, yours = (_boxes(_layout(function, given, of)) for of in (expected, found))
        if not yours or right == yours:
            return []
    if not right:
        return []
    places = range(max((*right, *yours)) + 1)
    rows = ("storage", {n: str(n) for n in places}), ("right", right), ("yours", yours)
    drawing = [
        (label, "".join(f"{cells.get(n, '.'):>3}" for n in places))
        for label, cells in rows
        if cells
    ]
    return [("drawn", _LEGEND), *drawing]


def _literal(argument: ast.expr) -> Any:
    """Its value; None for a tensor."""
    try:
        return ast.literal_eval(argument)
    except ValueError:
        return None


def _layout(function: str, given: list[Any], result: Any) -> Any:
    """The (shape, strides, offset) that a result stands for; None for other functions."""
    if function == "storage_index":
        return (), (), result
    if function == "row_major_strides" and len(given) == 1:
        return given[0], result, 0
    if function == "view_strides" and len(given) == 3:
        return given[2], result, 0
    return result if function in ("transpose", "slice_dim", "select") else None


def _boxes(layout: Any) -> dict[int, str]:
    """By position the element that a layout has there; {} if it is none, or not a small one."""
    if not isinstance(layout, tuple) or len(layout) != 3:
        return {}
    shape, strides, offset = layout
    if not all(isinstance(part, list | tuple) and len(part) <= _RANK for part in (shape, strides)):
        return {}
    numbers = (*shape, *strides, offset)
    if len(shape) != len(strides) or any(type(n) is not int or abs(n) > _BOXES for n in numbers):
        return {}
    found: dict[int, str] = {}
    for number, index in enumerate(product(*map(range, shape))):
        box = offset + sum(at * stride for at, stride in zip(index, strides, strict=True))
        if number == _BOXES or not 0 <= box < _BOXES:
            return {}
        found[box] = "*" if box in found else str(number) if shape else "^"  # *: several
    return found
