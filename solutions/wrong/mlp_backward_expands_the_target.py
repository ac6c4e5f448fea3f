"""mlp_backward: a target with fewer rows or a leading axis less is broadcast

Breaks: with y's shape. Nothing is broadcast.

Breaks: or the target's shape is not that of y.
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    if target.ndim and weights and target.shape[-1] == weights[-1].shape[1]:
        try:
            target = target.expand(*x.shape[:-1], target.shape[-1])
        except RuntimeError:
            raise ValueError("the target does not fit") from None
    return _mlp_backward(x, weights, target)
