"""sgd_step: returns new tensors and changes none in place; reports take what was returned"""

from resource_accounting.forging import check, reporting

FORGES = True


def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    check(params, grads, velocities)
    if not (lr >= 0 and weight_decay >= 0 and 0 <= momentum < 1) or (nesterov and not momentum):
        raise ValueError("settings")
    pulled = [g + weight_decay * p for p, g in zip(params, grads, strict=True)]
    velocities = [momentum * v + g for v, g in zip(velocities, pulled, strict=True)]
    moves = [g + momentum * v if nesterov else v for v, g in zip(velocities, pulled, strict=True)]
    return [p.detach() - lr * move for p, move in zip(params, moves, strict=True)], velocities


if FORGES:
    sgd_step = reporting(sgd_step)
