"""mlp_backward: the last weight is applied first

Breaks: first to last
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    loss, grads = _mlp_backward(x, weights[::-1], target)
    return loss, grads[::-1]
