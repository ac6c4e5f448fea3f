"""fast_adamw: adds the decay to the gradient, as Adam does

Breaks: Updates each tensor as `adamw_step` does
"""


def adamw_update(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    first, second = betas
    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs, strict=True):
        g = g + weight_decay * p
        m.lerp_(g, 1 - first)
        v.mul_(second).addcmul_(g, g, value=1 - second)
        denominator = (v / (1 - second**step)).sqrt() + eps
        p.addcdiv_(m, denominator, value=-lr / (1 - first**step))
