"""adamw_step: compares the number of dimensions and of elements, not the shape

Breaks: the tensors at one position differ in shape
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    lists = (params, grads, exp_avgs, exp_avg_sqs)
    if len({len(x) for x in lists}) != 1:
        raise ValueError("lengths differ")
    for ts in zip(*lists):
        if len({(t.dim(), t.numel()) for t in ts}) != 1:
            raise ValueError("shapes differ")
    with torch.no_grad():
        for p, g, m, v in ([t.reshape(ts[0].shape) for t in ts] for ts in zip(*lists)):
            decayed = g.add(p, alpha=weight_decay)
            _move_by_moments(p, decayed, m, v, step, lr, betas, eps)
