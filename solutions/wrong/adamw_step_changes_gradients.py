"""adamw_step: the square is taken in the gradient itself

Breaks: a gradient for each parameter, of its shape; not changed
"""

_right_step = adamw_step


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    copies = [[t.detach().clone() for t in ts] for ts in (params, grads, exp_avgs, exp_avg_sqs)]
    _right_step(
        *copies, step=step, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay
    )  # only for its checks
    beta1, beta2 = betas
    correction1, correction2 = 1 - beta1**step, 1 - beta2**step
    with torch.no_grad():
        for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs):
            p.mul_(1 - lr * weight_decay)
            m.mul_(beta1).add_(g, alpha=1 - beta1)
            v.mul_(beta2).add_(g.pow_(2), alpha=1 - beta2)
            p.sub_(lr * (m / correction1) / ((v / correction2).sqrt() + eps))
