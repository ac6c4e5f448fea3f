"""linear_backward: autograd, which records nothing where the caller has disabled gradients

Breaks: The caller may have disabled gradients
"""


def linear_backward(x, w, grad_y):
    x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
    b = w.new_zeros(w.shape[1]).requires_grad_()
    return torch.autograd.grad(x @ w + b, (x, w, b), grad_y)
