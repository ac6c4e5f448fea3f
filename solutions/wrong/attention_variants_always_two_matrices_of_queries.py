"""attention_variants: without a rank, queries have that of the latents

Breaks: else one does.
"""

_right_latent = latent_attention


def latent_attention(*, kv_rank, query_rank=None, **sizes):
    return _right_latent(kv_rank=kv_rank, query_rank=query_rank or kv_rank, **sizes)
