"""segments: of several best numbers the largest is taken

Breaks: the smallest such number if there are several
"""


def best_segments(layers):
    if layers < 1:
        raise ValueError("no layers")
    return min(range(layers, 0, -1), key=lambda segments: segments - -layers // segments)
