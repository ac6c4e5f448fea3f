"""Scenarios of the strides chapter: storage that is shared with something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assignment.scenarios import scenario


@scenario
def gather_from_part(
    student: Any,
    whole: torch.Tensor,
    part: tuple[int, int, int],
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
    overwritten_with: torch.Tensor | None = None,
) -> torch.Tensor:
    """The result of `gather` from the view `whole[start:stop:step]`; `part` is (start, stop, step).

    `overwritten_with` is written over `whole` after that: the result must not share its memory.
    """
    result: torch.Tensor = student.strides.gather(whole[slice(*part)], shape, strides, offset)
    if overwritten_with is not None:
        whole.copy_(overwritten_with)
    return result
