"""adam_step (core): each step is a first one, with averages of this gradient alone

Breaks: m ← m + (1 − β1) · (g − m)

Breaks: v ← β2 · v + (1 − β2) · g²
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    matched = _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs)
    with torch.no_grad():
        for p, g, m, v in matched:
            g = g + weight_decay * p
            m.copy_((1 - betas[0]) * g)
            v.copy_((1 - betas[1]) * g * g)
            p.sub_(lr * g / (g.abs() + eps))
