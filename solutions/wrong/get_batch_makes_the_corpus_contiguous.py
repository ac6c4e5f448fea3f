"""get_batch: makes the corpus contiguous first, which copies all of it where it is a strided view

Breaks: Reads only the windows: time and memory do not depend on T. With a memory map of terabytes, neither a copy of it nor anything else with T entries fits in memory.
"""

import numpy as np
import torch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    """Draw windows and their targets."""
    if not batch_size > 0:
        raise ValueError(f"batch_size must be positive, got {batch_size}")
    if not context_length > 0:
        raise ValueError(f"context_length must be positive, got {context_length}")
    if tokens.shape[0] < context_length + 1:
        raise ValueError("corpus too short")

    # torch cannot read arrays with negative strides. This is free for an array or a memory map
    # that is contiguous already.
    tokens = np.ascontiguousarray(tokens)

    starts = np.random.randint(0, tokens.shape[0] - context_length, size=batch_size)
    x = np.empty((batch_size, context_length), dtype=np.int64)
    y = np.empty((batch_size, context_length), dtype=np.int64)
    for row, start in enumerate(starts):
        x[row] = tokens[start : start + context_length]
        y[row] = tokens[start + 1 : start + 1 + context_length]
    return torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)
