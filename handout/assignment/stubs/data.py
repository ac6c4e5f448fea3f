"""Data loading: a corpus is one long sequence of token ids in a file, read through a memory map.

Shape legend: T tokens in the corpus, B windows in a batch, C tokens in a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64, Integer

# A numpy integer dtype: np.uint16, np.dtype("uint16") or "uint16".
IntegerDType = np.dtype[Any] | type[np.integer[Any]] | str


def write_tokens(
    path: str | Path,
    tokens: Sequence[int] | Integer[np.ndarray, " T"],
    dtype: IntegerDType,
) -> None:
    """Writes tokens to a file: only their values, without a header or an end mark.

    An existing file is replaced: you may assume that no map of it is open. A call that raises
    ValueError writes nothing: an existing file stays as it was, and no new one appears.

    Args:
        path: the file to write.
        tokens: T integers; T may be 0.
        dtype: the numpy integer dtype of each token in the file, as np.uint16, np.dtype("uint16")
            or "uint16". The file is little-endian on every machine.

    Raises:
        ValueError: a token does not fit the dtype (values never wrap: in uint16, 65536 does not
            become 0 and -1 does not become 65535), or the dtype is not an integer dtype, such as
            bool, even if there are no tokens.

    Three tokens in uint16 make 6 bytes:

        write_tokens("tokens.bin", [1, 256, 50256], np.uint16)  # 01 00 00 01 50 c4
    """
    raise NotImplementedError(
        "token_file: not started; see assignment/writeup/data.md, or make hint EX=token_file"
    )


def open_tokens(path: str | Path, dtype: IntegerDType) -> np.memmap[Any, np.dtype[Any]]:
    """Opens a token file as a read-only memory map: a one-dimensional np.memmap of its T tokens.

    Opening costs the same for a kilobyte and for terabytes: nothing is read until it is indexed.

    Args:
        path: a file that `write_tokens` wrote.
        dtype: the dtype that it was written with, which the file does not store.

    Raises:
        ValueError: the file's size in bytes is not a multiple of the dtype's, or the file is empty
            (an empty file cannot be mapped).
        FileNotFoundError: the file does not exist.

        open_tokens("tokens.bin", np.uint16)[1]  # 256
    """
    raise NotImplementedError(
        "token_file: not started; see assignment/writeup/data.md, or make hint EX=token_file"
    )


def get_batch(
    tokens: Integer[np.ndarray, " T"],
    batch_size: int,
    context_length: int,
    device: str | torch.device = "cpu",
) -> tuple[Int64[torch.Tensor, "B C"], Int64[torch.Tensor, "B C"]]:
    """Draws a batch of windows and their targets: y is x shifted by one token.

    Row b of x holds tokens[s : s + C] and row b of y holds tokens[s + 1 : s + C + 1]. Each start s
    is drawn for itself from torch's or numpy's global generator (so that a seed repeats a run), and
    every s from 0 to T - C - 1, both included, is equally likely; two rows may have the same.

    Reads only the windows: time and memory do not depend on T. With a memory map of
    terabytes, neither a copy of it nor anything else with T entries fits in memory.

    Args:
        tokens: the corpus, an array or a memory map of any integer dtype; each token is less than
            2**63.
        batch_size: B, the number of windows, at least 1.
        context_length: C, the tokens in a window, at least 1.

    Returns:
        x and y, int64 (what an embedding and a cross-entropy loss take), B × C, on `device`.
        Neither shares memory with the other or with the corpus: a mask may be written into x.

    Raises:
        ValueError: the corpus is too short for one window and its target (T < C + 1).
    """
    raise NotImplementedError(
        "get_batch: not started; see assignment/writeup/data.md, or make hint EX=get_batch"
    )
