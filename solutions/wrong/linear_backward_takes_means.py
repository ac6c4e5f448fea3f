"""linear_backward: w's and b's gradients are means over the rows

Breaks: They are not means.
"""


def linear_backward(x, w, grad_y):
    rows = max(grad_y[..., 0].numel(), 1) if w.shape[1] else 1
    return grad_y @ w.T, _weight_grad(x, grad_y) / rows, reduce(grad_y, "... d -> d", "sum") / rows
