"""get_batch: the targets are the tokens themselves

Breaks: Draws a batch of windows and their targets: y is x shifted by one token.

Breaks: row b of y holds tokens[s + 1 : s + C + 1]
"""

_get_batch = get_batch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    x, _ = _get_batch(tokens, batch_size, context_length, device)
    return x, x.clone()
