"""get_batch: the targets are the tokens themselves"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    x, _ = _get_batch(tokens, batch_size, context_length, device)
    return x, x.clone()
