"""segments: the best number is taken to be √L, rounded"""


def best_segments(layers):
    if layers < 1:
        raise ValueError("no layers")
    return round(layers**0.5)
