"""attention_variants: the rank of the queries is ignored

Breaks: if given, two matrices turn a token into the queries, with so many elements in
between

Breaks: "parameters", those of the matrices, without norms
"""

_right_latent = latent_attention


def latent_attention(*, query_rank=None, **sizes):
    return _right_latent(**sizes)
