"""fast_adamw: swaps the betas

Breaks: One step of AdamW for many tensors at once, in place
"""


def adamw_update(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    second, first = betas
    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs, strict=True):
        p.mul_(1 - lr * weight_decay)
        m.lerp_(g, 1 - first)
        v.mul_(second).addcmul_(g, g, value=1 - second)
        denominator = (v / (1 - second**step)).sqrt() + eps
        p.addcdiv_(m, denominator, value=-lr / (1 - first**step))
