"""segments: fewer than one segment are taken for one

Breaks: fewer than one segment
"""

_right_bounds = segment_bounds


def segment_bounds(layers, segments):
    return _right_bounds(layers, max(segments, 1))


def checkpointed_forward(layers, x, segments):
    for start, stop in _right_bounds(len(layers), segments):
        x = checkpoint(_run, layers[start:stop], x, use_reentrant=False)
    return x
