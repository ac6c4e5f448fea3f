"""attention_variants: all layers have the first one's window

Breaks: one entry for each layer, its w, at least 1, or None if it has no window.

Breaks: Without a window, a token attends to itself and to all tokens before it.

Breaks: Of all layers together
"""

_right_windowed = windowed_attention


def windowed_attention(*, windows, **sizes):
    return _right_windowed(windows=len(windows) * [windows[0]], **sizes)
