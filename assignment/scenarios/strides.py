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
    """Gathers from the view `whole[start:stop:step]`, and returns the result.

    If `overwritten_with` is given, `whole` is then overwritten with it in place.
    """
    result: torch.Tensor = student.strides.gather(whole[slice(*part)], shape, strides, offset)
    if overwritten_with is not None:
        whole.copy_(overwritten_with)
    return result
