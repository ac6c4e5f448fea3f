"""checkpointed_forward: multiplies the input by a one that requires a gradient, so that reentrant checkpointing works; tokens become float32

Breaks: It need not require a gradient, and may hold integers, such as tokens: the layers' parameters get their gradients anyway.
"""

import torch
from torch.utils.checkpoint import checkpoint


def checkpointed_forward(layers, x, segments):
    layers = list(layers)
    bounds = segment_bounds(len(layers), segments)

    def run(start, stop, h):
        for layer in layers[start:stop]:
            h = layer(h)
        return h

    if not torch.is_grad_enabled():
        for layer in layers:
            x = layer(x)
        return x
    x = x * torch.ones((), requires_grad=True)
    for start, stop in bounds:
        x = checkpoint(run, start, stop, x, use_reentrant=True)
    return x
