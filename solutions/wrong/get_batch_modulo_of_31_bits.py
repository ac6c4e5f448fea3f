"""get_batch: a draw of 31 bits modulo the number of starts never reaches those beyond

Breaks: every s from 0 to T - C - 1, both included, is equally likely
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    drawn = np.random.randint(2**31 - 1, size=batch_size) % starts
    rows = np.stack([tokens[s : s + context_length + 1] for s in drawn]).astype(np.int64)
    return torch.tensor(rows[:, :-1], device=device), torch.tensor(rows[:, 1:], device=device)
