"""checkpointed_forward: each layer is a segment, so that every input is held"""


def checkpointed_forward(layers, x, segments):
    segment_bounds(len(layers), segments)
    for layer in layers:
        x = checkpoint(layer, x, use_reentrant=False)
    return x
