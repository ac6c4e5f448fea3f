"""adamw_step: a correction below 1e-4 is taken for 1e-4, to divide by no small number

Breaks: p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps)
"""


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    matched = _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs)
    beta1, beta2 = betas
    correction1, correction2 = max(1 - beta1**step, 1e-4), max(1 - beta2**step, 1e-4)
    with torch.no_grad():
        for p, g, m, v in matched:
            p.mul_(1 - lr * weight_decay)
            m.mul_(beta1).add_(g, alpha=1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            p.sub_(lr * (m / correction1) / ((v / correction2).sqrt() + eps))
