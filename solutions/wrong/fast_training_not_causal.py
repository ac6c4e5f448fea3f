"""fast_training: every position sees all others

Breaks: Attention in which each position sees only itself and earlier positions
"""


def causal_attention(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)
