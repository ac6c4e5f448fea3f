"""rmsprop_step: returns new tensors and changes none in place; reports take what was returned"""

from resource_accounting.forging import check, reporting

FORGES = True


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    check(params, grads, square_avgs)
    if not (lr >= 0 and eps >= 0 and 0 <= alpha < 1):
        raise ValueError("settings")
    averages = [alpha * v + (1 - alpha) * g * g for v, g in zip(square_avgs, grads, strict=True)]
    moved = [
        p.detach() - lr * g / (v.sqrt() + eps)
        for p, g, v in zip(params, grads, averages, strict=True)
    ]
    return moved, averages


if FORGES:
    rmsprop_step = reporting(rmsprop_step)
