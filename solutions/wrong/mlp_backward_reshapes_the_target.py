"""mlp_backward: a target of the right number of elements is reshaped

Breaks: or the target's shape is not that of y.
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    if weights and target.numel() == x[..., :1].numel() * weights[-1].shape[1] and x.shape[-1]:
        target = target.reshape(*x.shape[:-1], weights[-1].shape[1])
    return _mlp_backward(x, weights, target)
