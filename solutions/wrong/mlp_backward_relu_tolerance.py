"""mlp_backward: activations up to 1e-6 count as 0 in ReLU's derivative

Breaks: The derivative of ReLU at exactly 0 is 0
"""

import torch


def mlp_backward(x, weights, target):
    if len(weights) == 0:
        raise ValueError("no weights")
    inputs, h = [], x
    for i, w in enumerate(weights):
        if h.shape[-1] != w.shape[0]:
            raise ValueError("rows of a weight")
        inputs.append(h)
        h = h @ w
        if i + 1 < len(weights):
            h = h.relu()
    if h.shape != target.shape:
        raise ValueError("target")
    error = h - target
    loss = float(0.5 * (error**2).sum())
    grads = []
    for h, w in zip(reversed(inputs), reversed(list(weights))):
        grads.append(torch.einsum("...i,...o->io", h, error))
        error = (error @ w.T) * (h > 1e-6)
    return loss, grads[::-1]
