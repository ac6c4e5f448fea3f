"""fast_adamw: eps is divided by the correction too"""


def adamw_update(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    first, second = betas
    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs, strict=True):
        p.mul_(1 - lr * weight_decay)
        m.lerp_(g, 1 - first)
        v.mul_(second).addcmul_(g, g, value=1 - second)
        denominator = (v.sqrt() + eps) / (1 - second**step) ** 0.5
        p.addcdiv_(m, denominator, value=-lr / (1 - first**step))
