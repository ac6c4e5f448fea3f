"""mlp_backward: each weight is stepped before the gradient has passed it

Breaks: Loss of an MLP, and the gradients of its weights.
"""


def mlp_backward(x, weights, target):
    if not weights:
        raise ValueError("no layers")
    inputs, before, y = [], [], x
    for w in weights:
        h = y.relu() if inputs else y
        if h.shape[-1] != len(w):
            raise ValueError("a layer does not fit")
        before.append(y)
        inputs.append(h)
        y = h @ w
    if y.shape != target.shape:
        raise ValueError("the target does not fit")
    grad = y - target
    loss = 0.5 * float(grad.square().sum())
    grads = []
    for i in range(len(weights) - 1, -1, -1):
        grad_w = _weight_grad(inputs[i], grad)
        grads.insert(0, grad_w)
        grad = grad @ (weights[i] - 0.1 * grad_w).T * (inputs[i] > 0)
    return loss, grads
