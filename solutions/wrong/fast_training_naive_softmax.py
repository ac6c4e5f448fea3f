"""fast_training: exponentials of large scores overflow"""


def causal_attention(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).exp().tril()
    return weights / weights.sum(-1, keepdim=True) @ v
