"""get_batch: draws from Python's generator

Breaks: from torch's or numpy's global generator (so that a seed repeats a run)
"""

import random


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    drawn = [random.randrange(starts) for _ in range(batch_size)]
    rows = np.stack([tokens[s : s + context_length + 1] for s in drawn]).astype(np.int64)
    return torch.tensor(rows[:, :-1], device=device), torch.tensor(rows[:, 1:], device=device)
