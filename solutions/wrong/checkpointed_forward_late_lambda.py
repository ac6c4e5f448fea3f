"""checkpointed_forward: a lambda in the loop sees the last bounds when it runs again"""


def checkpointed_forward(layers, x, segments):
    for start, stop in segment_bounds(len(layers), segments):
        x = checkpoint(lambda y: _run(layers[start:stop], y), x, use_reentrant=False)
    return x
