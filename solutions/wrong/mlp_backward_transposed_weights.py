"""mlp_backward: layers are x @ w.T, as in nn.Linear

Breaks: layer i is d_i × d_(i+1).

Breaks: Weights are stored d_in × d_out, so that a layer is `x @ w`.
"""

_mlp_backward = mlp_backward


def mlp_backward(x, weights, target):
    loss, grads = _mlp_backward(x, [w.T for w in weights], target)
    return loss, [grad.T for grad in grads]
