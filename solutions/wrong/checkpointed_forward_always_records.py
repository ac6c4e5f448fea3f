"""checkpointed_forward: gradients are switched on, so that no_grad holds activations after all

Breaks: Under `torch.no_grad()` nothing else is held afterwards, and while a segment's layers run
nothing but its input and the caller's x
"""


def checkpointed_forward(layers, x, segments):
    with torch.enable_grad():
        for start, stop in segment_bounds(len(layers), segments):
            x = checkpoint(_run, layers[start:stop], x, use_reentrant=False)
    return x
