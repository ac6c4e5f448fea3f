"""attention_variants: w tokens before it and the token itself

Breaks: a
token attends to itself and to the w - 1 tokens before it
"""

_right_windowed = windowed_attention


def windowed_attention(*, windows, **sizes):
    windows = [None if window is None else window + 1 for window in windows]
    return _right_windowed(windows=windows, **sizes)
