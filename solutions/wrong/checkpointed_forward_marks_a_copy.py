"""checkpointed_forward: the reentrant form is given an input that requires a gradient, as integers cannot

Breaks: It need not require a gradient, and may hold integers, such as tokens: the layers'
parameters get their gradients anyway.
"""

import warnings


def checkpointed_forward(layers, x, segments):
    bounds = segment_bounds(len(layers), segments)
    if torch.is_grad_enabled() and not x.requires_grad:
        x = x.detach().requires_grad_()
    for start, stop in bounds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = checkpoint(_run, layers[start:stop], x, use_reentrant=True)
    return x
