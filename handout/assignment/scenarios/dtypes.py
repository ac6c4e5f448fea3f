"""Builds tensors that share storage, from a recipe: sending the tensors would lose the sharing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assignment.scenarios import scenario


def build(steps: Sequence[Sequence[Any]]) -> list[torch.Tensor]:
    """The tensors of a recipe, one for each step. A step is one of

    - `("new", shape, dtype)`, or `("new", shape, dtype, device)`: a fresh tensor;
    - `("parameter", n)`: `torch.nn.Parameter` of tensor number n, counted from 0;
    - `(method, n, *arguments)`: the result of this method of tensor number n, such as
      `("select", 0, 1, 2)` for column 2 of tensor 0, or `("view", 0, torch.int8)`.
    """
    tensors: list[torch.Tensor] = []
    for name, first, *arguments in steps:
        if name == "new":
            dtype, *device = arguments
            tensors.append(torch.zeros(first, dtype=dtype, device=(*device, "cpu")[0]))
        elif name == "parameter":
            tensors.append(torch.nn.Parameter(tensors[first], requires_grad=False))
        else:
            tensors.append(getattr(tensors[first], name)(*arguments))
    return tensors


@scenario
def storage_bytes_of(
    student: Any, steps: Sequence[Sequence[Any]], chosen: Sequence[int], generator: bool = False
) -> Any:
    """Calls `storage_bytes` with the chosen tensors of a recipe, as a list or a generator."""
    tensors = build(steps)
    picked = [tensors[n] for n in chosen]
    return student.dtypes.storage_bytes((t for t in picked) if generator else picked)
