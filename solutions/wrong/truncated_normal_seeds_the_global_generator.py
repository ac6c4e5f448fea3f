"""truncated_normal: seeds torch's global generator too

Breaks: the global generators of torch, numpy and random are neither read nor advanced.
"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    torch.manual_seed(seed)
    return _draw(shape, std, low, high, seed)
