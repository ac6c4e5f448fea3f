"""adamw_step: squares g in place, which without weight decay is the gradient's own tensor

Breaks: grads: a gradient for each parameter, of its shape; not changed
"""

import torch


@torch.no_grad()
def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    if step < 1 or not all(0 <= b < 1 for b in betas):
        raise ValueError("step or betas")
    if not all(s >= 0 for s in (lr, eps, weight_decay)):
        raise ValueError("setting out of range")
    lists = params, grads, exp_avgs, exp_avg_sqs
    if len({*map(len, lists)}) > 1 or any(len({t.shape for t in ts}) > 1 for ts in zip(*lists)):
        raise ValueError("lists or shapes differ")
    b1, b2 = betas
    for p, g, m, v in zip(*lists):
        g = g + weight_decay * p if weight_decay else g
        m += (1 - b1) * (g - m)
        v.mul_(b2).add_(g.square_(), alpha=1 - b2)
        p.addcdiv_(m, (v / (1 - b2**step)).sqrt() + eps, value=-lr / (1 - b1**step))
