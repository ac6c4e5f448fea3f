"""mlp_backward: without weights, x itself is the output

Breaks: there are no weights;
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    if not weights and x.shape == target.shape:
        return 0.5 * float((x - target).square().sum()), []
    return _mlp_backward(x, weights, target)
