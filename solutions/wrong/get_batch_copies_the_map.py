"""get_batch: the whole corpus is converted to int64 before it is cut into windows"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    return _get_batch(np.asarray(tokens).astype(np.int64), batch_size, context_length, device)
