"""get_batch: a start comes again only when all the others have come

Breaks: two rows may have the same
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    drawn = []
    while len(drawn) < batch_size:
        s = int(torch.randint(starts, ()))
        if s not in drawn or len(drawn) >= starts:
            drawn.append(s)
    rows = np.stack([tokens[s : s + context_length + 1] for s in drawn]).astype(np.int64)
    return torch.tensor(rows[:, :-1], device=device), torch.tensor(rows[:, 1:], device=device)
