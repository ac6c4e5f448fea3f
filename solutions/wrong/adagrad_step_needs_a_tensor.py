"""rmsprop_step: torch's functions for lists of tensors refuse empty lists

Breaks: A step over empty lists changes nothing
"""

_right_step = adagrad_step


def adagrad_step(params, grads, sums, *, lr, eps):
    if not params:
        torch._foreach_mul(list(params), 1)
    _right_step(params, grads, sums, lr=lr, eps=eps)
