"""Scenarios of the data chapter: token files and batches from a memory map."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assignment.calls.world import LeftChanged
from assignment.scenarios import scenario


@scenario
def write_as(student: Any, path: str, tokens: Any, dtype: str, form: str) -> None:
    """Writes tokens. The dtype is given as its "name", as a "dtype" or as numpy's "type"."""
    student.data.write_tokens(path, tokens, _in_form(dtype, form))


def _in_form(dtype: str, form: str) -> Any:
    """The dtype of this name in a form of `write_as`."""
    return {"name": dtype, "dtype": np.dtype(dtype), "type": np.dtype(dtype).type}[form]


@scenario
def read_tokens(
    student: Any, dtype: str, requests: Iterable[Any], form: str = "name"
) -> list[np.ndarray]:
    """Serves requests in order: a path is opened; for a window (a, b), the tokens [a, b) of the
    file opened last are copied into the result. The dtype has a form as for `write_as`.

    Raises:
        LeftChanged: `open_tokens` returned something other than a read-only memory map.
    """
    tokens: Any = None
    windows = []
    for request in requests:
        if isinstance(request, str | Path):
            tokens = None  # closes the last file, so that only one is ever open
            tokens = student.data.open_tokens(request, _in_form(dtype, form))
            if not isinstance(tokens, np.memmap) or tokens.flags.writeable:
                raise LeftChanged('open_tokens returns no read-only np.memmap; use mode="r"')
        else:
            windows.append(np.array(tokens[slice(*request)]))
    return windows


@scenario
def opened_as(student: Any, path: str, dtype: str) -> dict[str, Any]:
    """What `open_tokens` returns: is it an np.memmap, is it writeable, its shape and dtype."""
    tokens = student.data.open_tokens(path, dtype)
    return {
        "is_memmap": isinstance(tokens, np.memmap),
        "writeable": bool(tokens.flags.writeable),
        "shape": tuple(tokens.shape),
        "dtype": tokens.dtype.str,
    }


@scenario
def batches_of_file(
    student: Any,
    path: str,
    dtype: str,
    window: tuple[int, ...] | None,
    batch_size: int,
    context_length: int,
    count: int,
) -> list[Any]:
    """Batches from a memory map of a file; of a window (a, b) or (a, b, c) of it, as of a slice."""
    corpus = np.memmap(path, dtype=dtype, mode="r")
    tokens = corpus if window is None else corpus[slice(*window)]
    return [student.data.get_batch(tokens, batch_size, context_length) for _ in range(count)]


@scenario
def seeded_batch(
    student: Any, seed: int, tokens: np.ndarray, batch_size: int, context_length: int
) -> Any:
    """A batch, just after torch's and numpy's global generators are seeded."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    return student.data.get_batch(tokens, batch_size, context_length)


@scenario
def moved_batch(student: Any, tokens: np.ndarray, batch_size: int, context_length: int) -> Any:
    """A batch on the CPU, given as a `torch.device`; before that, two on the device "meta".

    Raises:
        LeftChanged: a tensor of a batch for the device "meta" is on another one.
    """
    for device in ("meta", torch.device("meta")):
        for tensor in student.data.get_batch(tokens, batch_size, context_length, device):
            if tensor.device.type != "meta":
                raise LeftChanged(f"get_batch on {device!r} leaves a tensor on {tensor.device}")
    cpu = torch.device("cpu")
    return student.data.get_batch(tokens, batch_size, context_length, device=cpu)


@scenario
def masked_batch(
    student: Any, tokens: np.ndarray, batch_size: int, context_length: int
) -> dict[str, Any]:
    """Overwrites x of a batch with -1: y and the tokens "before" and "after" that."""
    x, y = student.data.get_batch(tokens, batch_size, context_length)
    before = [y.clone(), tokens.copy()]
    x.fill_(-1)
    return {"before": before, "after": [y, tokens]}
