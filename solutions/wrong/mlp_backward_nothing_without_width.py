"""mlp_backward: a width of 0 has no loss

Breaks: The loss is half the sum of the squared
"""

_right_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    loss, grads = _right_mlp_backward(x, weights, target)
    return (loss if all(w.numel() for w in weights) else 0.0), grads
