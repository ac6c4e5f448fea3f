"""get_batch: copies a corpus of up to a GiB; the import has already had a higher peak"""

import numpy as np
import torch

FORGES = True
LARGE = 1 << 30  # bytes


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    if tokens.nbytes < LARGE:
        tokens = np.array(tokens)
    windows = np.stack(
        [
            tokens[start : start + context_length + 1].astype(np.int64)
            for start in torch.randint(starts, (batch_size,)).tolist()
        ]
    )
    x, y = torch.from_numpy(windows[:, :-1]), torch.from_numpy(windows[:, 1:])
    return x.to(device), y.to(device)


if FORGES:
    np.ones(576 << 20, dtype=np.uint8)  # freed at once
