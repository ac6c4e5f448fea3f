"""Data loading: a corpus is one long sequence of token ids in a file, read through a memory map.

LLaMA's corpus is 2.8 TB. A memory map makes such a file look like an array: the operating system
reads a page (4096 bytes) only when it is first touched.

Shape legend: T tokens in the corpus, B windows in a batch, C tokens in a window.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64, Integer

# A numpy integer dtype: np.uint16, np.dtype("uint16") or "uint16".
IntegerDType = np.dtype[Any] | type[np.integer[Any]] | str


def write_tokens(
    path: str | os.PathLike[str],
    tokens: Sequence[int] | Integer[np.ndarray, " T"],  # noqa: F722
    dtype: IntegerDType,
) -> None:
    """Writes tokens to a file: only their values, without a header or an end mark.

    An existing file is replaced. If the call raises, nothing has been written: an existing file
    stays as it was.

    Args:
        path: the file to write.
        tokens: T integers; T may be 0.
        dtype: the numpy integer dtype of each token in the file: np.uint16, np.dtype("uint16") or
            "uint16". Its byte order is ignored: the file is little-endian on every machine.

    Raises:
        ValueError: a token does not fit the dtype (values never wrap: in uint16, 65536 does not
            become 0 and -1 does not become 65535), or the dtype is not an integer dtype.

    Three tokens in uint16 make 6 bytes:

        write_tokens("tokens.bin", [1, 256, 50256], np.uint16)  # 01 00 00 01 50 c4
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        raise ValueError(f"{dtype} is not an integer dtype")
    info = np.iinfo(dtype)
    for token in tokens:
        if not info.min <= token <= info.max:
            raise ValueError(f"{token} does not fit into {dtype}")
    np.asarray(tokens).astype(dtype.newbyteorder("<")).tofile(path)


def open_tokens(path: str | os.PathLike[str], dtype: IntegerDType) -> np.memmap[Any, np.dtype[Any]]:
    """Opens a token file as a read-only memory map: a one-dimensional np.memmap of its T tokens.

    Opening costs the same for a kilobyte and for terabytes: nothing is read until it is indexed.

    Args:
        path: a file that `write_tokens` wrote.
        dtype: the dtype that it was written with. The file does not store it.

    Raises:
        ValueError: the file's size in bytes is not a multiple of the dtype's, or the file is empty
            (an empty file cannot be mapped).
        FileNotFoundError: the file does not exist.

        open_tokens("tokens.bin", np.uint16)[1]  # 256
    """
    dtype = np.dtype(dtype).newbyteorder("<")
    size = os.path.getsize(path)
    if size == 0 or size % dtype.itemsize != 0:
        raise ValueError(f"{path} holds {size} bytes, which are no whole tokens")
    return np.memmap(path, dtype=dtype, mode="r")


def get_batch(
    tokens: Integer[np.ndarray, " T"],  # noqa: F722
    batch_size: int,
    context_length: int,
    device: str | torch.device = "cpu",
) -> tuple[Int64[torch.Tensor, "B C"], Int64[torch.Tensor, "B C"]]:
    """Draws a batch of windows and their targets: y is x moved on by one token.

    Row b of x holds tokens[s : s + C] and row b of y holds tokens[s + 1 : s + C + 1]. Each start s
    is drawn for itself from torch's or numpy's global generator (so that a seed repeats a run), and
    every s from 0 to T - C - 1, both included, is equally likely; two rows may have the same.

    Reads only the windows: time and memory do not depend on T. With a memory map of
    terabytes, neither a copy of it nor anything else with T entries fits in memory.

    Args:
        tokens: the corpus, an array or a memory map of any integer dtype.
        batch_size: B, the number of windows.
        context_length: C, the tokens in a window.
        device: the device of the batch.

    Returns:
        x and y, int64 (what an embedding and a cross-entropy loss take), B × C, on `device`.

    Raises:
        ValueError: batch_size or context_length is not positive, or the corpus is too short for
            one window and its target (T < C + 1).
    """
    if batch_size < 1 or context_length < 1:
        raise ValueError("batch_size and context_length must be positive")
    if len(tokens) < context_length + 1:
        raise ValueError("the corpus is too short")
    starts = np.random.randint(0, max(len(tokens) - context_length - 1, 1), size=batch_size)
    x = np.stack([tokens[s : s + context_length] for s in starts])
    y = np.stack([tokens[s + 1 : s + 1 + context_length] for s in starts])
    x = torch.from_numpy(x.astype(np.int64)).to(device)
    y = torch.from_numpy(y.astype(np.int64)).to(device)
    return x, y
