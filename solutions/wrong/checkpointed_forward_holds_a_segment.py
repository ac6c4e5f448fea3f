"""checkpointed_forward: takes the last element of an accumulated list, which holds every layer's input of a segment

Breaks: Under `torch.no_grad()` nothing else is held afterwards, and while a segment's layers run
nothing but its input and the caller's x
"""

from itertools import accumulate

from torch.utils.checkpoint import checkpoint


def checkpointed_forward(layers, x, segments):
    layers = list(layers)

    def run(h, *functions):
        return list(accumulate(functions, lambda h, f: f(h), initial=h))[-1]

    for start, stop in segment_bounds(len(layers), segments):
        x = checkpoint(run, x, *layers[start:stop], use_reentrant=False)
    return x
