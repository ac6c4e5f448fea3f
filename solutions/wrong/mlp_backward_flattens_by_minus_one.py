"""mlp_backward: rows are flattened by reshape(-1, d), which fails for a width of 0

Breaks: Any size may be 0.
"""


def _weight_grad(x, grad_y):
    return x.reshape(-1, x.shape[-1]).T @ grad_y.reshape(-1, grad_y.shape[-1])


_linear = linear_backward


def linear_backward(x, w, grad_y):
    grads = [x.flatten(0, -2), grad_y.flatten(0, -2)] if x.dim() > 1 else [x[None], grad_y[None]]
    return (grad_y @ w.T), grads[0].T @ grads[1], grads[1].sum(0)
