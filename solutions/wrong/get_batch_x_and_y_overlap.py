"""get_batch: x and y are views of the same windows

Breaks: Neither shares memory with the other or with the corpus: a mask may be written into x.
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if batch_size < 1 or context_length < 1 or len(tokens) <= context_length:
        raise ValueError("no window")
    starts = torch.randint(len(tokens) - context_length, (batch_size,))
    windows = np.array([tokens[s : s + context_length + 1] for s in starts], dtype=np.int64)
    windows = torch.from_numpy(windows).to(device)
    return windows[:, :-1], windows[:, 1:]
