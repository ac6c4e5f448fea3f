"""checkpointed_forward: the layers are copied with a list's method, which tuples and ModuleLists lack

Breaks: functions of one tensor, with or without parameters, random or not
"""

import torch
from torch.utils.checkpoint import checkpoint


def checkpointed_forward(layers, x, segments):
    bounds = segment_bounds(len(layers), segments)
    layers = layers.copy()

    def run(y, start, stop):
        for layer in layers[start:stop]:
            y = layer(y)
        return y

    for start, stop in bounds:
        x = checkpoint(run, x, start, stop, use_reentrant=False)
    return x
