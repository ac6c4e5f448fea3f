"""segments: chunks of the rounded-up size, of which there may be too few

Breaks: Splits a network into segments that are as even as possible.
"""


def segment_bounds(layers, segments):
    if not 1 <= segments <= layers:
        raise ValueError("cannot be")
    size = -(-layers // segments)
    return [(start, min(start + size, layers)) for start in range(0, layers, size)]
