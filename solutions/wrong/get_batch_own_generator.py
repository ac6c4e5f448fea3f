"""get_batch: a fresh generator for each call, which no seed reaches

Breaks: from torch's or numpy's global generator (so that a seed repeats a run)
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    drawn = np.random.default_rng().integers(starts, size=batch_size)
    block = torch.stack(
        [torch.from_numpy(tokens[s : s + context_length + 1].astype(np.int64)) for s in drawn]
    )
    return block[:, :-1].to(device), block[:, 1:].to(device)
