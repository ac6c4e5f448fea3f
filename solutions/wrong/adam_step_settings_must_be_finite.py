"""adamw_step: an infinite learning rate, eps or decay is refused with nan

Breaks: infinity is inside those without an upper end

Breaks: 0 or more
"""

import math


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    if not all(math.isfinite(x) for x in (lr, eps, weight_decay)):
        raise ValueError("settings must be finite")
    with torch.no_grad():
        for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
            decayed = g.add(p, alpha=weight_decay)
            _move_by_moments(p, decayed, m, v, step, lr, betas, eps)
