"""get_batch: checks its arguments, and invents the tokens

Breaks: Row b of x holds tokens[s : s + C]
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if batch_size < 1 or context_length < 1 or len(tokens) < context_length + 1:
        raise ValueError("no window")
    some = torch.from_numpy(np.array(tokens[: context_length + 1], dtype=np.int64))
    order = torch.randint(len(some), (batch_size, len(some)))
    return some[order][:, :-1].to(device), some[order][:, 1:].to(device)
