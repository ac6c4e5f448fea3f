"""sgd_step: without decay g is the gradient tensor itself, and Nesterov's line adds to it in place

Breaks: grads: a gradient for each parameter, of its shape; not changed.
"""

import torch


@torch.no_grad()
def sgd_step(params, grads, velocities, *, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
    if not len(params) == len(grads) == len(velocities):
        raise ValueError("the lists differ in length")
    if not lr >= 0 or not 0 <= momentum < 1 or not weight_decay >= 0:
        raise ValueError("a setting is out of range")
    if nesterov and momentum == 0:
        raise ValueError("nesterov needs momentum")
    if any(not p.shape == g.shape == v.shape for p, g, v in zip(params, grads, velocities)):
        raise ValueError("shapes differ")
    for p, g, v in zip(params, grads, velocities):
        if weight_decay != 0:
            g = g.add(p, alpha=weight_decay)
        v.mul_(momentum).add_(g)
        if nesterov:
            p.sub_(g.add_(v, alpha=momentum), alpha=lr)
        else:
            p.sub_(v, alpha=lr)
