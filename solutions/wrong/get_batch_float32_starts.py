"""get_batch: scales a uniform float32 to the number of starts, and reaches at most 2**24 of them

Breaks: every s from 0 to T - C - 1, both included, is equally likely
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    drawn = (torch.rand(batch_size) * starts).long().clamp(max=starts - 1).tolist()
    rows = np.stack([tokens[s : s + context_length + 1] for s in drawn]).astype(np.int64)
    return torch.tensor(rows[:, :-1], device=device), torch.tensor(rows[:, 1:], device=device)
