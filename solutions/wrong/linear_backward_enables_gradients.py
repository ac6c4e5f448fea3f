"""linear_backward: gradients are enabled afterwards, whatever was before"""

_right_linear_backward = linear_backward


def linear_backward(x, w, grad_y):
    torch.set_grad_enabled(True)
    return _right_linear_backward(x, w, grad_y)
