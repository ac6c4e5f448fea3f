"""linear_backward: the sums start with the first row, which is not always there

Breaks: Without rows grad_w and grad_b are 0.
"""

import functools


def linear_backward(x, w, grad_y):
    rows = list(zip(x.reshape(-1, x.shape[-1] or 1), grad_y.reshape(-1, grad_y.shape[-1] or 1)))
    if 0 in w.shape:
        return grad_y @ w.T, _weight_grad(x, grad_y), reduce(grad_y, "... d -> d", "sum")
    grad_w = functools.reduce(torch.add, [torch.outer(row, grad) for row, grad in rows])
    return grad_y @ w.T, grad_w, functools.reduce(torch.add, [grad for _, grad in rows])
