"""Token files and batches, token by token."""

import os

import numpy as np
import torch


def _kind(dtype):
    """(bytes of an item, whether it is signed) of an integer dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        raise ValueError(f"{dtype} is not an integer dtype")
    return dtype.itemsize, dtype.kind == "i"


def write_tokens(path, tokens, dtype):
    width, signed = _kind(dtype)
    data = bytearray()
    for token in tokens:
        if not isinstance(token, int | np.integer):
            raise ValueError("not an integer")
        try:
            data += int(token).to_bytes(width, "little", signed=signed)
        except OverflowError:
            raise ValueError(f"{token} does not fit") from None
    with open(path, "wb") as file:
        file.write(data)


def open_tokens(path, dtype):
    width, signed = _kind(dtype)
    size = os.stat(path).st_size
    if size == 0 or size % width != 0:
        raise ValueError("not a whole number of tokens")
    return np.memmap(path, f"<{'i' if signed else 'u'}{width}", "r", 0, (size // width,))


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if batch_size <= 0 or context_length <= 0:
        raise ValueError("sizes must be positive")
    if len(tokens) <= context_length:
        raise ValueError("the corpus is too short")
    x = torch.empty((batch_size, context_length), dtype=torch.int64, device=device)
    y = torch.empty((batch_size, context_length), dtype=torch.int64, device=device)
    for row in range(batch_size):
        start = int(np.random.randint(0, len(tokens) - context_length))
        window = tokens[start : start + context_length + 1].tolist()
        x[row] = torch.tensor(window[:-1])
        y[row] = torch.tensor(window[1:])
    return x, y
