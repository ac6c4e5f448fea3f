"""mlp_backward: every layer adds a bias of 1

Breaks: Layers are linear without bias.
"""


def mlp_backward(x, weights, target):
    if not weights:
        raise ValueError("no weights")
    weights, y = [w.detach().clone().requires_grad_() for w in weights], x
    for i, w in enumerate(weights):
        h = y.relu() if i else y
        if h.shape[-1] != len(w):
            raise ValueError("a layer does not fit")
        y = h @ w + 1
    if y.shape != target.shape:
        raise ValueError("the target does not fit")
    loss = 0.5 * (y - target).square().sum()
    return loss.item(), list(torch.autograd.grad(loss, weights))
