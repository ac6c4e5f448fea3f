"""mlp_backward: the loss is a tensor, not a Python float

Breaks: (loss, grads): a Python float,
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    loss, grads = _mlp_backward(x, weights, target)
    return torch.tensor(loss, dtype=x.dtype), grads
