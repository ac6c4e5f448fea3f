"""fast_training: masks with a number that large scores exceed

Breaks: every score of a later position is replaced by -inf
"""


def causal_attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -100.0).softmax(-1) @ v
