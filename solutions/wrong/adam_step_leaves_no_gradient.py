"""adamw_step: runs torch.optim.Adam with the state put in, and leaves no .grad behind, also where there was one"""

import torch


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    adamw_step(  # refuses what must be refused
        [], [], [], [], step=step, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay
    )
    lists = params, grads, exp_avgs, exp_avg_sqs
    if len({*map(len, lists)}) > 1 or any(len({t.shape for t in ts}) > 1 for ts in zip(*lists)):
        raise ValueError("lengths or shapes")
    for p, g, m, v in zip(*lists):
        adam = torch.optim.Adam([p], lr, betas, eps, weight_decay, foreach=False)
        adam.state[p] = {"step": torch.tensor(step - 1.0), "exp_avg": m, "exp_avg_sq": v}
        p.grad = g
        adam.step()
        p.grad = None
