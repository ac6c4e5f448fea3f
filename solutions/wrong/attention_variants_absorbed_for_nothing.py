"""attention_variants: absorbed matrices take no FLOPs

Breaks: `nope_dim` elements of each head's query are multiplied with the head's matrix of
keys

Breaks: and is then multiplied with the head's matrix of
values. No product of two weight matrices is computed beforehand.

Breaks: "expanded_flops" and "absorbed_flops", of all matrix products in a
decode step of one token.
"""

_right_latent = latent_attention


def latent_attention(*, heads, kv_rank, nope_dim, value_dim, **sizes):
    counts = _right_latent(
        heads=heads, kv_rank=kv_rank, nope_dim=nope_dim, value_dim=value_dim, **sizes
    )
    less = 2 * heads * kv_rank * (nope_dim + value_dim)
    return {**counts, "absorbed_flops": counts["absorbed_flops"] - less}
