"""rmsprop_step: returns new tensors and changes none in place; reports take what was returned"""

from resource_accounting.forging import check, reporting

FORGES = True


def adagrad_step(params, grads, sums, *, lr, eps):
    check(params, grads, sums)
    if not (lr >= 0 and eps >= 0):
        raise ValueError("settings")
    sums = [s + g * g for s, g in zip(sums, grads, strict=True)]
    return [
        p.detach() - lr * g / (s.sqrt() + eps) for p, g, s in zip(params, grads, sums, strict=True)
    ], sums


if FORGES:
    adagrad_step = reporting(adagrad_step)
