"""attention_variants: the new token is not counted

Breaks: the new one counts

Breaks: the new token's included
"""

_right_windowed = windowed_attention


def windowed_attention(*, context, **sizes):
    return _right_windowed(context=context - 1, **sizes)
