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
    """Gathers out of `whole[start:stop:step]`, a view, and reports the result.

    If `overwritten_with` is given, `whole` gets these values in place after the gathering.
    """
    result: torch.Tensor = student.strides.gather(whole[slice(*part)], shape, strides, offset)
    if overwritten_with is not None:
        whole.copy_(overwritten_with)
    return result
