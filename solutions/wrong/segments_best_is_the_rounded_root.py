"""segments: the best number is taken to be √L, rounded

Breaks: The number of segments to choose

Breaks: The number of segments that minimizes segments + layers of the longest segment
"""


def best_segments(layers):
    if layers < 1:
        raise ValueError("no layers")
    return round(layers**0.5)
