"""get_batch: batches of int32

Breaks: x and y, int64 (what an embedding and a cross-entropy loss take)
"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    x, y = _get_batch(tokens, batch_size, context_length, device)
    return x.int(), y.int()
