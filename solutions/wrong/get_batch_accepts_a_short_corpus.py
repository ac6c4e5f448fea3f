"""get_batch: a corpus without room for the last target gives windows cut short

Breaks: the corpus is too short for one window and its target (T < C + 1)
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    starts = torch.randint(max(1, len(tokens) - context_length), (batch_size,)).tolist()
    x = np.stack([tokens[s : s + context_length] for s in starts]).astype(np.int64)
    y = np.stack([tokens[s + 1 : s + context_length + 1] for s in starts]).astype(np.int64)
    return torch.from_numpy(x).to(device), torch.from_numpy(y).to(device)
