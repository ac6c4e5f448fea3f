"""attention_variants: each head has a rotated key of its own

Breaks: a key of `rope_dim`
elements, which all heads share.
"""

_right_latent = latent_attention


def latent_attention(*, d_model, heads, rope_dim, context, **sizes):
    counts = _right_latent(
        d_model=d_model, heads=heads, rope_dim=rope_dim, context=context, **sizes
    )
    more = (heads - 1) * rope_dim
    return {
        "parameters": counts["parameters"] + d_model * more,
        "cached": counts["cached"] + context * more,
        "expanded_flops": counts["expanded_flops"] + 2 * d_model * more,
        "absorbed_flops": counts["absorbed_flops"] + 2 * d_model * more,
    }
