"""segments: a segment ends at its last layer, not after it

Breaks: a segment's layers are `range(start, stop)`
"""

_right_bounds = segment_bounds


def segment_bounds(layers, segments):
    return [(start, stop - 1) for start, stop in _right_bounds(layers, segments)]


def checkpointed_forward(layers, x, segments):
    for start, stop in _right_bounds(len(layers), segments):
        x = checkpoint(_run, layers[start:stop], x, use_reentrant=False)
    return x
