"""get_batch: uint16 tokens are read as int16, so those above 32767 become negative

Costs: tokens above 32767 are in most corpora that are drawn.
"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    if tokens.dtype == np.uint16:
        tokens = tokens.view(np.int16)
    return _get_batch(tokens, batch_size, context_length, device)
