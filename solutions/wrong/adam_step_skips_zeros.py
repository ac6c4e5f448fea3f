"""adamw_step: a gradient of zeros is skipped, and the moments do not fade

Breaks: v ← β2 · v + (1 − β2) · g²
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    with torch.no_grad():
        for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
            if not g.any():
                continue
            decayed = g.add(p, alpha=weight_decay)
            _move_by_moments(p, decayed, m, v, step, lr, betas, eps)
