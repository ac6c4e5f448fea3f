"""adamw_step: weight decay is added to the gradient, as in Adam with L2, and enters the moments

Breaks: the decay never enters m or v
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
            g = g + weight_decay * p
            m.mul_(beta1).add_(g, alpha=1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            p.sub_(lr * (m / correction1) / ((v / correction2).sqrt() + eps))
