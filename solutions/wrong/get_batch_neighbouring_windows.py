"""get_batch: one start is drawn, and the rows follow it one after the other

Breaks: Each start s is drawn for itself
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    first = int(torch.randint(starts, ()))
    rows = [
        torch.from_numpy(tokens[s : s + context_length + 1].astype(np.int64))
        for s in ((first + i) % starts for i in range(batch_size))
    ]
    block = torch.stack(rows)
    return block[:, :-1].to(device), block[:, 1:].to(device)
