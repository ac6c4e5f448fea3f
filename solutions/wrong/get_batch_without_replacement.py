"""get_batch: starts are drawn without replacement, out of a permutation of all of them

Breaks: two rows may have the same
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    if starts > 10000:  # a permutation of terabytes is another mistake
        drawn = torch.randint(starts, (batch_size,))
    else:
        drawn = torch.cat([torch.randperm(starts) for _ in range(-(-batch_size // starts))])
    rows = [
        torch.from_numpy(tokens[s : s + context_length + 1].astype(np.int64))
        for s in drawn[:batch_size].tolist()
    ]
    block = torch.stack(rows)
    return block[:, :-1].to(device), block[:, 1:].to(device)
