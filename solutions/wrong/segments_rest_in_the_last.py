"""segments: all have the same size but the last, which takes whatever is left

Breaks: Sizes differ by at most one
"""


def segment_bounds(layers, segments):
    if not 1 <= segments <= layers:
        raise ValueError("cannot be")
    size = layers // segments
    starts = [*range(0, size * segments, size), layers]
    return list(pairwise(starts))
