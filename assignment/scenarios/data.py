"""Scenarios of the data chapter: token files and batches from a memory map."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assignment.scenarios import scenario


@scenario
def raw_bytes(student: Any, path: str) -> bytes:
    """The content of a file, read with plain Python."""
    return Path(path).read_bytes()


@scenario
def open_and_read(
    student: Any, path: str, dtype: str, windows: list[tuple[int, int]], times: int = 1
) -> dict[str, Any]:
    """Opens a token file `times` times and copies the tokens [a, b) of each window.

    `descriptors` counts the file descriptors that stayed open.
    """
    before = _highest_new_descriptor()
    for _ in range(times):
        tokens = student.data.open_tokens(path, dtype)
        read = [np.array(tokens[a:b]) for a, b in windows]
        about = {
            "is_memmap": isinstance(tokens, np.memmap),
            "writeable": bool(tokens.flags.writeable),
            "shape": tuple(tokens.shape),
            "dtype": tokens.dtype.str,
        }
        del tokens
    return {**about, "windows": read, "descriptors": _highest_new_descriptor() - before}


@scenario
def batches_of_file(
    student: Any,
    path: str,
    dtype: str,
    window: tuple[int, int] | None,
    batch_size: int,
    context_length: int,
    count: int,
) -> dict[str, Any]:
    """Batches from a memory map of a file, or from its tokens [a, b).

    `descriptors` counts the file descriptors that stayed open.
    """
    corpus = np.memmap(path, dtype=dtype, mode="r")
    tokens = corpus if window is None else corpus[slice(*window)]
    before = _highest_new_descriptor()
    batches = [student.data.get_batch(tokens, batch_size, context_length) for _ in range(count)]
    return {"batches": batches, "descriptors": _highest_new_descriptor() - before}


@scenario
def seeded_batch(
    student: Any, seed: int, tokens: np.ndarray, batch_size: int, context_length: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The first batch after every global generator was seeded."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    batch: tuple[torch.Tensor, torch.Tensor] = student.data.get_batch(
        tokens, batch_size, context_length
    )
    return batch


def _highest_new_descriptor() -> int:
    """The highest of 8 new descriptors. The system assigns the lowest free numbers, so descriptors
    that stay open make new ones higher."""
    descriptors = [os.open(os.devnull, os.O_RDONLY) for _ in range(8)]
    for descriptor in descriptors:
        os.close(descriptor)
    return max(descriptors)
