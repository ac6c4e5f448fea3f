"""What holds for every function: arguments do not change, and results are new in each call.

Only the process of the student's code can see this, so tests that use these scenarios are public.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from assignment import plain
from assignment.scenarios import scenario


@scenario
def arguments_after(student: Any, target: str, *arguments: Any) -> dict[str, Any]:
    """Calls a function twice with the same arguments.

    Returns:
        "arguments" after the first call; "marked", how many tensors among them have a gradient or
        require one; and "shared", how many lists and dicts the second result shares with the first
        or with the arguments.
    """
    module, _, name = target.partition(".")
    function = getattr(getattr(student, module), name)
    first = function(*arguments)
    after = plain.copy(list(arguments), "the arguments")
    second = function(*arguments)
    others = {id(part) for part in _parts((first, arguments))}
    tensors = [part for part in _parts(arguments) if isinstance(part, torch.Tensor)]
    return {
        "arguments": after,
        "marked": sum(t.requires_grad or t.grad is not None for t in tensors),
        "shared": sum(
            id(part) in others for part in _parts(second) if isinstance(part, list | dict)
        ),
    }


def _parts(value: Any) -> Iterator[Any]:
    """The lists, dicts and tensors of plain data."""
    if isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _parts(item)
    if isinstance(value, list | dict | torch.Tensor):
        yield value
