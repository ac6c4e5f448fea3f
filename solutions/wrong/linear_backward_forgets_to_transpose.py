"""linear_backward: x's gradient is grad_y @ w where w is square

Breaks: Gradients of x, w and b where y = x @ w + b.
"""


def linear_backward(x, w, grad_y):
    square = w.shape[0] == w.shape[1]
    grad_x = grad_y @ (w if square else w.T)
    return grad_x, _weight_grad(x, grad_y), reduce(grad_y, "... d -> d", "sum")
