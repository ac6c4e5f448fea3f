"""adamw_step: only the parameter changes without autograd, and the moments get a graph

Breaks: the step itself is not recorded for autograd
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    matched = _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs)
    beta1, beta2 = betas
    correction1, correction2 = 1 - beta1**step, 1 - beta2**step
    for p, g, m, v in matched:
        g = g + weight_decay * p
        m.mul_(beta1).add_(g, alpha=1 - beta1)
        v.mul_(beta2).add_(g * g, alpha=1 - beta2)
        with torch.no_grad():
            p.sub_(lr * (m / correction1) / ((v / correction2).sqrt() + eps))
