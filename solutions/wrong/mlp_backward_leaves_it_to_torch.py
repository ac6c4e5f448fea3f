"""mlp_backward: torch refuses a layer that does not fit, with a RuntimeError

Breaks: a weight's rows do not match the features of its input;
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    y = x
    for w in weights:
        y = y @ w
    return _mlp_backward(x, weights, target)
