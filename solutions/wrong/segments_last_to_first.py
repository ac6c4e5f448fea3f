"""segments: the segments are listed in the order in which the backward pass needs them

Breaks: (start, stop) of each segment, from the first layer to the last
"""

_right_bounds = segment_bounds


def segment_bounds(layers, segments):
    return _right_bounds(layers, segments)[::-1]


def checkpointed_forward(layers, x, segments):
    for start, stop in _right_bounds(len(layers), segments):
        x = checkpoint(_run, layers[start:stop], x, use_reentrant=False)
    return x
