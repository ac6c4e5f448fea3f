"""linear_backward: autograd leaves its gradient on the caller's weight

Breaks: none may have changed after the call: not its values, its `.grad` or its `requires_grad`.
"""


def linear_backward(x, w, grad_y):
    inputs = [
        x.detach().requires_grad_(),
        w.requires_grad_(),
        w.new_zeros(w.shape[1]).requires_grad_(),
    ]
    (inputs[0] @ inputs[1] + inputs[2]).backward(grad_y)
    return tuple(tensor.grad for tensor in inputs)
