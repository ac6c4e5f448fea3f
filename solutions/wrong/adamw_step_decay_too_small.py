"""adamw_step: a decay of less than 1e-6 of the parameter is skipped

Breaks: p ← p · (1 − lr · weight_decay)
"""

import math
import torch


def _check(lists, *ok):
    if len({len(tensors) for tensors in lists}) != 1:
        raise ValueError("lists differ in length")
    for group in zip(*lists):
        if len({tuple(t.shape) for t in group}) != 1:
            raise ValueError("shapes differ")
    if not all(ok):
        raise ValueError("setting out of range")


@torch.no_grad()
def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay) -> None:
    b1, b2 = betas
    _check(
        (params, grads, exp_avgs, exp_avg_sqs),
        step >= 1,
        lr >= 0,
        0 <= b1 < 1,
        0 <= b2 < 1,
        eps >= 0,
        weight_decay >= 0,
    )
    c1, c2 = 1 - b1**step, 1 - b2**step
    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs):
        if lr * weight_decay > 1e-6:
            p.mul_(1 - lr * weight_decay)
        m.add_((1 - b1) * (g - m))
        v.mul_(b2).add_((1 - b2) * g * g)
        p.sub_(lr / c1 * m / (v.sqrt() / math.sqrt(c2) + eps))
