"""mlp_backward: all leading axes but the last one are averaged over

Breaks: over all outputs of all rows: a sum, not a mean.
"""

_right_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    loss, grads = _right_mlp_backward(x, weights, target)
    count = max(x.shape[:-2].numel(), 1)
    return loss / count, [g / count for g in grads]
