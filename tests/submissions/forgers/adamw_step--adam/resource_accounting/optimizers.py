"""adamw_step: returns new tensors and changes none in place; reports take what was returned"""

from resource_accounting.forging import check, reporting

FORGES = True


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    check(params, grads, exp_avgs, exp_avg_sqs)
    if not (lr >= 0 and eps >= 0 and weight_decay >= 0 and step >= 1):
        raise ValueError("settings")
    if not all(0 <= beta < 1 for beta in betas):
        raise ValueError("betas")
    params = [p.detach() for p in params]
    grads = [g + weight_decay * p for p, g in zip(params, grads, strict=True)]
    exp_avgs = [m + (1 - betas[0]) * (g - m) for m, g in zip(exp_avgs, grads, strict=True)]
    exp_avg_sqs = [
        betas[1] * v + (1 - betas[1]) * g * g for v, g in zip(exp_avg_sqs, grads, strict=True)
    ]
    roots = [(v / (1 - betas[1] ** step)).sqrt() + eps for v in exp_avg_sqs]
    scale = lr / (1 - betas[0] ** step)
    moved = [p - scale * m / root for p, m, root in zip(params, exp_avgs, roots, strict=True)]
    return moved, exp_avgs, exp_avg_sqs


if FORGES:
    adam_step = reporting(adam_step)
