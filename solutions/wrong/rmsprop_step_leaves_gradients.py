"""rmsprop_step: lets torch.optim.RMSprop do the step, for which it sets p.grad and never takes it back"""

import torch


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    if not len(params) == len(grads) == len(square_avgs):
        raise ValueError("the lists differ in length")
    for p, g, v in zip(params, grads, square_avgs):
        if not p.shape == g.shape == v.shape:
            raise ValueError("shapes differ")
    if not lr >= 0 or not 0 <= alpha < 1 or not eps >= 0:
        raise ValueError("a setting is out of range")
    if len(params) == 0:
        return
    optimizer = torch.optim.RMSprop(list(params), lr=lr, alpha=alpha, eps=eps, foreach=False)
    for p, g, v in zip(params, grads, square_avgs):
        p.grad = g
        optimizer.state[p] = {"step": torch.tensor(0.0), "square_avg": v}
    optimizer.step()
