"""attention_variants: a head is as wide as its share of the model

Breaks: `heads * head_dim` need not be `d_model`.

Breaks: and from the output of all heads back to `d_model`

Breaks: elements of one query, key or value

Breaks: "parameters", those of the matrices; "cached"
"""

_right_windowed = windowed_attention


def windowed_attention(*, d_model, heads, head_dim, **others):
    return _right_windowed(d_model=d_model, heads=heads, head_dim=d_model // heads, **others)
