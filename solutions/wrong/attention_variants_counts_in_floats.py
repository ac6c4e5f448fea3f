"""attention_variants: products of floats, rounded to ints

Breaks: Bytes and FLOPs are exact Python ints.
"""

_right_latent = latent_attention


def latent_attention(*, d_model, rope_dim, **sizes):
    counts = _right_latent(d_model=float(d_model), rope_dim=float(rope_dim), **sizes)
    return {name: int(count) for name, count in counts.items()}
