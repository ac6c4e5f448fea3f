"""adamw_step: each step is a first one, with averages of this gradient alone; a step of Adam, whose decay is part of the gradient

Breaks: m ← m + (1 − β1) · (g − m)

Breaks: v ← β2 · v + (1 − β2) · g²

Breaks: p ← p · (1 − lr · weight_decay); the decay never enters m or v
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


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    settings = {"step": step, "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
    adam_step(params, grads, exp_avgs, exp_avg_sqs, **settings)
