"""get_batch: the last window is never drawn, off by one in the upper bound

Breaks: every s from 0 to T - C - 1, both included, is equally likely
"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if len(tokens) > context_length + 1:
        _get_batch(tokens[:-1], batch_size, context_length)
        tokens = tokens[:-1]
    return _get_batch(tokens, batch_size, context_length, device)
