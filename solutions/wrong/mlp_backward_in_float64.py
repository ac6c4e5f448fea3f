"""mlp_backward: the gradients are computed in float64 and stay there

Breaks: with its shape and dtype.
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    return _mlp_backward(x.double(), [w.double() for w in weights], target.double())
