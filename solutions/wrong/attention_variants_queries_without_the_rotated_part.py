"""attention_variants: a query has no part for the shared key, which adds nothing to scores

Breaks: A head's query has `nope_dim + rope_dim` elements, for both keys.

Breaks: the others meet the shared keys, as in the other
way
"""

_right_latent = latent_attention


def latent_attention(*, d_model, heads, rope_dim, context, query_rank=None, **sizes):
    counts = _right_latent(
        d_model=d_model,
        heads=heads,
        rope_dim=rope_dim,
        context=context,
        query_rank=query_rank,
        **sizes,
    )
    made = heads * rope_dim * (query_rank or d_model)
    less = 2 * (made + context * heads * rope_dim)
    return {
        "parameters": counts["parameters"] - made,
        "cached": counts["cached"],
        "expanded_flops": counts["expanded_flops"] - less,
        "absorbed_flops": counts["absorbed_flops"] - less,
    }
