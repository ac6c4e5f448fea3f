"""mlp_backward: loss and gradients are means over the rows

Breaks: over all outputs of all rows: a sum, not a mean.
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
    rows = max(y[..., 0].numel(), 1) if y.shape[-1] else 1
    grad = (y - target) / rows
    loss = 0.5 * float((y - target).square().sum()) / rows
    grads = [_weight_grad(inputs[-1], grad)]
    for i in range(len(weights) - 1, 0, -1):
        grad = grad @ weights[i].T * (inputs[i] > 0)
        grads.insert(0, _weight_grad(inputs[i - 1], grad))
    return loss, grads
