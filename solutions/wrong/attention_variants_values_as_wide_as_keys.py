"""attention_variants: a value is as wide as the key that a latent is turned into

Breaks: Each head has a matrix that turns a
latent into a key of `nope_dim` elements, and one that turns it into a value of `value_dim`
elements.

Breaks: A last matrix leads
from the output of all heads, `value_dim` elements each, back to `d_model`.
"""

_right_latent = latent_attention


def latent_attention(*, nope_dim, value_dim, **sizes):
    return _right_latent(nope_dim=nope_dim, value_dim=nope_dim, **sizes)
