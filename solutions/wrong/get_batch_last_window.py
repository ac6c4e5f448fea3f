"""get_batch (core): each row is the corpus' last window

Breaks: Each start s is drawn for itself from torch's or numpy's global generator

Breaks: every s from 0 to T - C - 1, both included, is equally likely
"""


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if len(tokens) < context_length + 1:
        raise ValueError("no window")
    last = torch.from_numpy(np.array(tokens[-context_length - 1 :], dtype=np.int64))
    rows = last.repeat(batch_size, 1)
    return rows[:, :-1].clone().to(device), rows[:, 1:].clone().to(device)
