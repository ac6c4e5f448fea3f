"""segments: the best number of segments for no layers is none

Breaks: number of layers, at least 1

Breaks: `layers` is less than 1
"""

_right_best = best_segments


def best_segments(layers):
    return _right_best(layers) if layers > 0 else 0
