"""checkpointed_forward: draws a number itself after the layers

Breaks: after the backward pass the same numbers are drawn as without checkpointing
"""

import torch
from torch.utils.checkpoint import checkpoint


def checkpointed_forward(layers, x, segments):
    bounds = segment_bounds(len(layers), segments)

    def run(start, stop, y):
        for layer in part[start]:
            y = layer(y)
        return y

    part = {start: list(layers[start:stop]) for start, stop in bounds}
    for start, stop in bounds:
        x = checkpoint(run, start, stop, x, use_reentrant=False)
    torch.rand(())
    return x
