"""fast_training: does not divide scores by √d

Breaks: softmax(q kᵀ / √d) v, where every score of a later position is replaced by -inf
"""


def causal_attention(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)
