"""Builds tensors that share storage, from a recipe: sending the tensors would lose the sharing."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from assignment.scenarios import scenario


def build(steps: Sequence[Sequence[Any]]) -> list[torch.Tensor]:
    """The tensors that the steps of a recipe make, in order; see `take_step`."""
    tensors: list[torch.Tensor] = []
    for step in steps:
        take_step(step, tensors)
    return tensors


def take_step(step: Sequence[Any], tensors: list[torch.Tensor]) -> None:
    """Appends the tensors that one step of a recipe makes. A step is one of

    - `("new", shape, dtype)`, or `("new", shape, dtype, device)`: a fresh tensor;
    - `("parameter", n)`: `torch.nn.Parameter` of tensor number n, counted from 0;
    - `("deepcopy", n, m, ...)`: copies of these tensors, which share storages as the tensors do;
    - `("set", n, m)`: tensor n gets the data of tensor m, `n.data = m`; appends nothing;
    - `(method, n, *arguments)`: the result of this method of tensor number n, such as
      `("select", 0, 1, 2)` for column 2 of tensor 0, or `("view", 0, torch.int8)`. If the result is
      a tuple of tensors, all of them.
    """
    name, first, *arguments = step
    if name == "new":
        dtype, *device = arguments
        tensors.append(torch.zeros(first, dtype=dtype, device=(*device, "cpu")[0]))
    elif name == "parameter":
        tensors.append(torch.nn.Parameter(tensors[first], requires_grad=False))
    elif name == "deepcopy":
        tensors += copy.deepcopy([tensors[n] for n in (first, *arguments)])
    elif name == "set":
        tensors[first].data = tensors[arguments[0]]
    else:
        made = getattr(tensors[first], name)(*arguments)
        tensors += made if isinstance(made, tuple) else [made]


@scenario
def storage_bytes_of(
    student: Any,
    steps: Sequence[Sequence[Any]],
    chosen: Sequence[int],
    generator: bool = False,
    copies: bool = False,
) -> Any:
    """Calls `storage_bytes` with the chosen tensors of a recipe, as a list or a generator.

    With `copies`, it is a generator that makes a contiguous copy of each tensor when it yields it.
    """
    tensors = build(steps)
    picked = [tensors[n] for n in chosen]
    if copies:
        copied = (t.clone(memory_format=torch.contiguous_format) for t in picked)
        return student.dtypes.storage_bytes(copied)
    return student.dtypes.storage_bytes((t for t in picked) if generator else picked)
