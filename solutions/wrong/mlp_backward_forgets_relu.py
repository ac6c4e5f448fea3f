"""mlp_backward (core): the gradient passes every ReLU as if it were not there

Breaks: There is a ReLU between two layers, and none after the last:
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
    grads = [_weight_grad(inputs[-1], grad)]
    for i in range(len(weights) - 1, 0, -1):
        grad = grad @ weights[i].T
        grads.insert(0, _weight_grad(inputs[i - 1], grad))
    return loss, grads
