"""mlp_backward: only an empty list is no weights"""

_right_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    return _right_mlp_backward(x, weights + [], target)
