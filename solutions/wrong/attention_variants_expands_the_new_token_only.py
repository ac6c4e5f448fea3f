"""attention_variants: other tokens' keys and values are there already

Breaks: the latents of
all tokens are turned into the keys and values of all heads, to which the query attends.
"""

_right_latent = latent_attention


def latent_attention(*, heads, nope_dim, rope_dim, value_dim, context, **sizes):
    counts = _right_latent(
        heads=heads,
        nope_dim=nope_dim,
        rope_dim=rope_dim,
        value_dim=value_dim,
        context=context,
        **sizes,
    )
    attention = 2 * context * heads * (nope_dim + rope_dim + value_dim)
    return {**counts, "expanded_flops": 2 * counts["parameters"] + attention}
