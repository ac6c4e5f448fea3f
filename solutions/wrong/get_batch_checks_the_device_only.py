"""get_batch: the device is only looked at

Breaks: on `device`
"""

import numpy as np
import torch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if batch_size < 1 or context_length < 1:
        raise ValueError("sizes must be positive")
    count = len(tokens) - context_length
    if count < 1:
        raise ValueError("corpus too short")
    starts = torch.randint(count, (batch_size,)).tolist()
    rows = np.stack([tokens[s : s + context_length + 1] for s in starts])
    torch.device(device)
    rows = torch.from_numpy(rows.astype(np.int64))
    return rows[:, :-1].clone(), rows[:, 1:].clone()
