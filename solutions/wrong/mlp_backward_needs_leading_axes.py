"""mlp_backward: a single row, without leading axes, is not handled

Breaks: with none it is a single row.
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    if x.shape[:-1] != target.shape[:-1]:
        raise ValueError("the target does not fit")
    return _mlp_backward(x.flatten(0, -2), weights, target.flatten(0, -2))
