"""mlp_backward: exactly one leading axis is expected

Breaks: the input, with any number of leading axes;
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    rows, _ = x.shape
    return _mlp_backward(x.reshape(rows, -1) if x.numel() else x, weights, target)
