"""segments (core): chunks of the longest size, as many as the root of the layers

Breaks: Sizes differ by at most one

Breaks: The number of segments that minimizes segments + layers of the longest segment
"""


def segment_bounds(layers, segments):
    if not 1 <= segments <= layers:
        raise ValueError("no such segments")
    size = -(-layers // segments)
    starts = [min(i * size, layers) for i in range(segments + 1)]
    return list(pairwise(starts))


def best_segments(layers):
    if layers < 1:
        raise ValueError("no layers")
    return round(layers**0.5)
