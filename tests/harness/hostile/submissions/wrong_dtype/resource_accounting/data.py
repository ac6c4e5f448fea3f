"""get_batch: draws rightly, and returns other dtypes, shapes and containers"""

import random

import numpy as np
import torch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if context_length < 1 or batch_size < 1 or len(tokens) <= context_length:
        raise ValueError("no window")
    starts = np.random.randint(0, len(tokens) - context_length, batch_size)
    both = [
        torch.tensor(
            np.array([tokens[s + k : s + k + context_length] for s in starts]).astype("i8")
        )
        for k in (0, 1)
    ]
    forms = [
        lambda: tuple(t.int() for t in both),
        lambda: tuple(t.double() for t in both),
        lambda: tuple(t.numpy() for t in both),
        lambda: tuple(t.tolist() for t in both),
        lambda: tuple(t.reshape(-1) for t in both),
        lambda: tuple(t[None] for t in both),
        lambda: {"x": both[0], "y": both[1]},
        lambda: torch.stack(both),
        lambda: (*both, both[0].clone()),
        lambda: both[0],
    ]
    torch.device(device)
    return random.choice(forms)()
