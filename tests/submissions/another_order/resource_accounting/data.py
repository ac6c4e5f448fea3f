"""Token files and batches: the range check by casting back, windows as a view of the map."""

from pathlib import Path

import numpy as np
import torch


def write_tokens(path, tokens, dtype):
    dtype = np.dtype(dtype)
    if not np.issubdtype(dtype, np.integer):
        raise ValueError(f"{dtype} holds no integers")
    given = np.array([int(token) for token in tokens], dtype=object)
    limits = np.iinfo(dtype)
    if not all(limits.min <= token <= limits.max for token in given):
        raise ValueError("a token does not fit")
    Path(path).write_bytes(given.astype(dtype.newbyteorder("=")).astype(dtype.newbyteorder("<")))


def open_tokens(path, dtype):
    dtype = np.dtype(dtype).newbyteorder("<")
    with open(path, "rb") as file:
        count, left = divmod(file.seek(0, 2), dtype.itemsize)
        if left or not count:
            raise ValueError(f"{count} tokens and {left} bytes")
        return np.memmap(file, mode="r", shape=(count,), dtype=dtype)


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if min(batch_size, context_length) < 1 or len(tokens) < context_length + 1:
        raise ValueError("no window")
    windows = np.lib.stride_tricks.sliding_window_view(tokens, context_length + 1)
    starts = np.random.randint(len(windows), size=batch_size)
    block = torch.tensor(windows[starts].astype("int64"), device=device)
    return block.narrow(1, 0, context_length).clone(), block.narrow(1, 1, context_length)
