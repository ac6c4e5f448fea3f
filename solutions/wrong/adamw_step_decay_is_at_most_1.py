"""adamw_step: a weight decay above 1 is refused

Breaks: λ, 0 or more
"""


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    if weight_decay > 1:
        raise ValueError("weight_decay must be at most 1")
    with torch.no_grad():
        for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
            p.mul_(1 - lr * weight_decay)
            _move_by_moments(p, g, m, v, step, lr, betas, eps)
