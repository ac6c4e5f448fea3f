"""fast_adamw: squares the gradients in place

Breaks: not changed
"""

_right_adamw_update = adamw_update


def adamw_update(params, grads, *moments, **settings):
    _right_adamw_update(params, grads, *moments, **settings)
    torch._foreach_mul_(list(grads), list(grads))
