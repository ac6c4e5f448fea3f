"""adamw_step: the factor of the decay is at least 0, also where lr times weight_decay is above 1

Breaks: p ← p · (1 − lr · weight_decay)
"""


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    with torch.no_grad():
        for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
            p.mul_(max(0.0, 1 - lr * weight_decay))
            _move_by_moments(p, g, m, v, step, lr, betas, eps)
