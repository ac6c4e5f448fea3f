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
    return {"name": dtype, "dtype": np.dtype(dtype), "type": np.dtype(dtype).type}[form]


@scenario
def read_tokens(
    student: Any, dtype: str, requests: Iterable[Any], form: str = "name"
) -> list[np.ndarray]:
    """Takes requests one by one: a path is opened, and a window (a, b) is copied from the tokens
    [a, b) of the file that was opened last. The dtype has a form as for `write_as`.

    Raises:
        LeftChanged: what was opened is no read-only memory map.
    """
    tokens: Any = None
    windows = []
    for request in requests:
        if isinstance(request, str | Path):
            tokens = None  # before the next file is opened: only one is open
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
    """Batches from a memory map of a file, or from its tokens [a, b) or every c-th of these."""
    corpus = np.memmap(path, dtype=dtype, mode="r")
    tokens = corpus if window is None else corpus[slice(*window)]
    return [student.data.get_batch(tokens, batch_size, context_length) for _ in range(count)]


@scenario
def seeded_batch(
    student: Any, seed: int, tokens: np.ndarray, batch_size: int, context_length: int
) -> Any:
    """The first batch after torch's and numpy's global generators were seeded."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    return student.data.get_batch(tokens, batch_size, context_length)


@scenario
def moved_batch(student: Any, tokens: np.ndarray, batch_size: int, context_length: int) -> Any:
    """A batch on the CPU, which is given as a `torch.device`.

    Raises:
        LeftChanged: a tensor of a batch on the device "meta" is elsewhere.
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
    """A batch whose x is overwritten by -1: "before" and "after" it, y and the tokens."""
    x, y = student.data.get_batch(tokens, batch_size, context_length)
    before = [y.clone(), tokens.copy()]
    x.fill_(-1)
    return {"before": before, "after": [y, tokens]}
