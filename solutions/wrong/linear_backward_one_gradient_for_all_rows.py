"""linear_backward: x's gradient is summed over the rows too, and spread over them"""


def linear_backward(x, w, grad_y):
    grad_x = (grad_y @ w.T).reshape(*x.shape)
    mean = grad_x.sum(tuple(range(x.ndim - 1)), keepdim=True).expand_as(x)
    return mean.clone(), _weight_grad(x, grad_y), reduce(grad_y, "... d -> d", "sum")
