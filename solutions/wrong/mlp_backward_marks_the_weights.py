"""mlp_backward: autograd's marks are left on the caller's weights

Breaks: No tensor that is passed requires a gradient, and none may have changed after the call:

Breaks: not its values, its `.grad` or its `requires_grad`.
"""


def mlp_backward(x, weights, target):
    if not weights:
        raise ValueError("no weights")
    y = x
    for i, w in enumerate(weights):
        w.requires_grad_()
        h = y.relu() if i else y
        if h.shape[-1] != len(w):
            raise ValueError("does not fit")
        y = h @ w
    if y.shape != target.shape:
        raise ValueError("does not fit")
    loss = 0.5 * (y - target).square().sum()
    return loss.item(), list(torch.autograd.grad(loss, list(weights)))
