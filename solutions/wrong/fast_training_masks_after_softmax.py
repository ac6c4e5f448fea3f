"""fast_training: zeroes later positions after the softmax, so that weights do not add up to 1

Breaks: every score of a later position is replaced by -inf
"""


def causal_attention(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
    return weights.tril() @ v
