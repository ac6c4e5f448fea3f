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

_LIMIT = 20  # positions of storage that are drawn: they fit into a line
_RANK = 6  # of a layout that is drawn
_LEGEND = "the elements of the result, by number, where they are in storage"


def draw_layout(call: str, found: Any, expected: Any) -> list[tuple[str, str]]:
    """Pairs of label and line; [] if there is nothing to draw, or it is too large.

    `call` is the text of a call of a function of `strides`; `found` is what it returned.
    """
    try:
        node: Any = ast.parse(re.sub("<[^<>]*>", "None", call), mode="eval").body
    except SyntaxError:  # the text of a long call is cut
        return []
    function, arguments = node.func.attr, [_literal(argument) for argument in node.args]
    if function == "gather":
        same = plain.describe(found) == plain.describe(expected)  # so a value is wrong
        right, yours = _slots((*arguments[1:], 0)[:3]) if same else {}, {}
    else:
        right, yours = (_slots(_layout(function, arguments, of)) for of in (expected, found))
        if not yours or right == yours:
            return []
    if not right:
        return []
    storage = {n: str(n) for n in range(max((*right, *yours)) + 1)}
    rows = [
        (label, "".join(f"{slots.get(n, '.'):>3}" for n in storage))
        for label, slots in (("storage", storage), ("right", right), ("yours", yours))
        if slots
    ]
    return [("drawn", _LEGEND), *rows]


def _literal(argument: ast.expr) -> Any:
    """The value of an argument; None for a tensor."""
    try:
        return ast.literal_eval(argument)
    except ValueError:
        return None


def _layout(function: str, arguments: list[Any], result: Any) -> Any:
    """The (shape, strides, offset) that a result stands for; None for other functions."""
    if function == "storage_index":
        return (), (), result
    if function == "row_major_strides" and len(arguments) == 1:
        return arguments[0], result, 0
    if function == "view_strides" and len(arguments) == 3:
        return arguments[2], result, 0
    return result if function in ("transpose", "slice_dim", "select") else None


def _slots(layout: Any) -> dict[int, str]:
    """What is drawn at each position of storage; {} if it is no layout, or not a small one."""
    if not isinstance(layout, tuple) or len(layout) != 3:
        return {}
    shape, strides, offset = layout
    if not all(isinstance(part, list | tuple) and len(part) <= _RANK for part in (shape, strides)):
        return {}
    numbers = (*shape, *strides, offset)
    if len(shape) != len(strides) or any(type(n) is not int or abs(n) > _LIMIT for n in numbers):
        return {}
    slots: dict[int, str] = {}
    for number, index in enumerate(product(*map(range, shape))):
        slot = offset + sum(i * stride for i, stride in zip(index, strides, strict=True))
        if number == _LIMIT or not 0 <= slot < _LIMIT:
            return {}
        slots[slot] = "*" if slot in slots else str(number) if shape else "^"  # *: several
    return slots
