"""truncated_normal: a seed of 0 is taken for none

Breaks: The same seed gives the same numbers
"""

_draw = truncated_normal


def truncated_normal(shape, std, low, high, seed):
    seed = seed or torch.Generator().seed() % 2**63
    return _draw(shape, std, low, high, seed)
