"""attention_variants: absorbed attention still has values of value_dim

Breaks: The weighted sum is one of latents, too
"""

_right_latent = latent_attention


def latent_attention(*, heads, kv_rank, value_dim, context, **sizes):
    counts = _right_latent(
        heads=heads, kv_rank=kv_rank, value_dim=value_dim, context=context, **sizes
    )
    less = 2 * context * heads * (kv_rank - value_dim)
    return {**counts, "absorbed_flops": counts["absorbed_flops"] - less}
