"""Values as text, for messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from assignment.calls import plain

_SHOWN = 400  # characters of a value in a message
_MAX_BITS = 1000  # of a number that is written out


def show(value: Any) -> str:
    """A value for a message: its `repr`, cut if long.

    A tensor or an array, alone or in a list, tuple or dict, is its type, and its elements if few.
    """
    if isinstance(value, torch.Tensor | np.ndarray):
        text = plain.describe(value)
        size = value.numel() if isinstance(value, torch.Tensor) else value.size
        return f"{text}: {value.tolist()}" if 0 < size <= 12 else text
    text = ""
    for piece in _pieces(value):  # stop at the limit: printing tensors is slow
        text += piece
        if len(text) > _SHOWN:
            break
    return cut(text, _SHOWN)


def _pieces(value: Any) -> Iterator[str]:
    """The text of `repr`, in pieces; a tensor is written as `show` writes it alone."""
    kind = type(value)
    if isinstance(value, torch.Tensor | np.ndarray):
        yield show(value)
    elif kind in (str, bytes):
        yield scalar(value[: _SHOWN + 1])
    elif kind not in (list, tuple, dict):
        yield scalar(value)
    else:
        brackets = "[]" if kind is list else "()" if kind is tuple else "{}"
        yield brackets[0]
        for i, item in enumerate(value):
            yield ", " if i else ""
            if kind is dict:
                yield from _pieces(item)
                yield ": "
            yield from _pieces(value[item] if kind is dict else item)
        yield "," if kind is tuple and len(value) == 1 else ""
        yield brackets[1]


def cut(text: str, room: int) -> str:
    """At most so many characters of a text, and … for the others; no number is cut in two."""
    if len(text) <= room:
        return text
    kept = text[:room]
    if text[room].isdigit() and kept[-1] in "0123456789.":
        kept = kept.rstrip("0123456789.").rstrip() or kept
    return f"{kept} …"


def scalar(value: Any) -> str:
    """`repr`, but 0.05 for np.float64(0.05), and the size of a number too long to read."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if type(value) is int and value.bit_length() > _MAX_BITS:
        return f"a whole number of {value.bit_length()} bits"
    return repr(value)


def unexpected(value: Any) -> str:
    """A value of the wrong type, for a message: `show`, with the type if that does not tell it."""
    if value is None:
        return "None"
    if type(value) in (bool, int, float, str, bytes, list, tuple, dict):
        article = "an" if type(value) is int else "a"
        return f"{show(value)}, {article} {type(value).__name__}"
    return show(value) if type(value) in (torch.Tensor, np.ndarray) else plain.describe(value)
