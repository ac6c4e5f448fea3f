"""get_batch: gives the windows to torch as they are, which takes no other byte order

Breaks: an array or a memory map of any integer dtype
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    starts = len(tokens) - context_length
    if starts < 1 or batch_size < 1 or context_length < 1:
        raise ValueError("no window")
    drawn = torch.randint(starts, (batch_size,)).tolist()
    rows = [torch.from_numpy(np.array(tokens[s : s + context_length + 1])).long() for s in drawn]
    block = torch.stack(rows)
    return block[:, :-1].clone().to(device), block[:, 1:].clone().to(device)
