"""linear_backward: rows are flattened by reshape(-1, d_in), which fails for a size of 0

Breaks: Any size may be 0.
"""


def linear_backward(x, w, grad_y):
    rows, grads = x.reshape(-1, w.shape[0]), grad_y.reshape(-1, w.shape[1])
    return grad_y @ w.T, rows.T @ grads, grads.sum(0)
