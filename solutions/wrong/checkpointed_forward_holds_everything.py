"""checkpointed_forward: a plain loop, which holds all activations

Breaks: Runs layers one after the other, with activation checkpointing by segments.

Breaks: After the forward pass only each segment's input and the output are held.
"""


def checkpointed_forward(layers, x, segments):
    for start, stop in segment_bounds(len(layers), segments):
        x = _run(layers[start:stop], x)
    return x
