"""get_batch: the whole corpus is converted to int64 before it is cut into windows

Breaks: Reads only the windows: time and memory do not depend on T. With a memory map of terabytes,
neither a copy of it nor anything else with T entries fits in memory.
"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    return _get_batch(np.asarray(tokens).astype(np.int64), batch_size, context_length, device)
